import { type Admission, createAdmission } from "../access/admission.ts";

/** Of a machine that has room for everything; the numbers of things are still limited. */
export function roomyAdmission(): Admission {
  const load = { availableBytes: Number.MAX_SAFE_INTEGER, cpuShare: 0 };
  return createAdmission({ measure: () => load, cores: 2, now: () => 0 });
}
