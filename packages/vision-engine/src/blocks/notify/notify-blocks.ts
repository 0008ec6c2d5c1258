import type { Block } from "../block.ts";
import { emailNotificationV1, emailNotificationV2 } from "./email.ts";
import { localFileSink } from "./local-file.ts";
import { mqttWriterV1, mqttWriterV2 } from "./mqtt-writer.ts";
import { s3Sink } from "./s3.ts";
import { slackNotification } from "./slack.ts";
import { twilioSmsNotificationV1, twilioSmsNotificationV2 } from "./twilio.ts";
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
