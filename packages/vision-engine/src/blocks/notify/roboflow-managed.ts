/** Value of a provider property that sends through Roboflow's own services. */
export const ROBOFLOW_MANAGED = "Roboflow Managed API Key";
export const SENT_BY_ROBOFLOW = "Notification sent successfully via Roboflow proxy";
