import type { Block } from "../block.ts";
import { emailNotificationV1, emailNotificationV2 } from "./email.ts";
import { localFileSink, s3Sink } from "./log-files.ts";
import { mqttWriterV1, mqttWriterV2 } from "./mqtt-writer.ts";
import { slackNotification, twilioSmsNotificationV1, twilioSmsNotificationV2 } from "./slack-and-twilio.ts";
import { webhookSink } from "./webhook.ts";

/** The ways out of a workflow. */
export const NOTIFY_BLOCKS: readonly Block[] = [
  webhookSink,
  slackNotification,
  emailNotificationV1,
  emailNotificationV2,
  twilioSmsNotificationV1,
  twilioSmsNotificationV2,
  mqttWriterV1,
  mqttWriterV2,
  localFileSink,
  s3Sink,
];
