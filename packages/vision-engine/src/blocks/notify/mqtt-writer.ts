// text → topic of a broker
import { inputError } from "../../errors.ts";
import { type Block, type BlockInputs, block, numberOf, textOf } from "../block.ts";
import type { Broker, BrokerAddress, BrokerMessage, Effects } from "../effects.ts";
import { disabledMessage, reasonOf, required } from "./notification.ts";
import { askingFirst } from "./outgoing-pictures.ts";

export const mqttWriterV1 = mqttWriterBlock("v1");
export const mqttWriterV2 = mqttWriterBlock("v2");

function mqttWriterBlock(version: "v1" | "v2"): Block {
  const type = `roboflow_enterprise/mqtt_writer_sink@${version}`;
  return block({
    type,
    description: "Publishes a message to a topic of an MQTT broker.",
    phrase: "publishes to MQTT",
    start:
      ({ effects }) =>
      async (inputs) => {
        const disabled = disabledMessage(effects, inputs);
        if (disabled !== undefined) return { error_status: false, message: disabled };
        const [address, message] = [addressOf(inputs), messageOf(inputs)];
        const destination = `${address.host}:${address.port}/${message.topic}`;
        const send = askingFirst(effects, inputs, { sink: type, destination }, () =>
          publish(effects, address, message),
        );
        const work = send().catch((error: unknown) => ({ failed: true, message: reasonOf(error, []) }));
        if (inputs.fire_and_forget === true && effects.background !== undefined) {
          effects.background(work.then(({ failed, message }) => (failed ? message : undefined)));
          return { error_status: false, message: "Message is being published in the background" };
        }
        const outcome = await work;
        if (outcome.failed && inputs.fail_fast === true) throw inputError(outcome.message, "RuntimeError");
        return { error_status: outcome.failed, message: outcome.message };
      },
  });
}

async function publish(
  effects: Effects,
  address: BrokerAddress,
  message: BrokerMessage,
): Promise<{ failed: boolean; message: string }> {
  const secrets = [address.login?.password ?? ""];
  let broker: Broker;
  try {
    broker = await required(effects.connectBroker, "Publishing to MQTT")(address);
  } catch (error) {
    return { failed: true, message: `Failed to connect to MQTT broker: ${reasonOf(error, secrets)}` };
  }
  try {
    await broker.publish(message);
    return { failed: false, message: "Message published successfully" };
  } catch (error) {
    return { failed: true, message: `Failed to publish payload: ${reasonOf(error, secrets)}` };
  }
}

function addressOf(inputs: BlockInputs): BrokerAddress {
  const { username, password, encryption, ca_certificate_path: caPath } = inputs;
  return {
    host: textOf(inputs, "host"),
    port: numberOf(inputs, "port"),
    timeoutMs: 1000 * numberOf(inputs, "timeout"),
    ...(typeof username === "string" && { login: { user: username, password: String(password ?? "") } }),
    ...(encryption === "tls" && { tls: typeof caPath === "string" ? { caPath } : {} }),
  };
}

function messageOf(inputs: BlockInputs): BrokerMessage {
  const qos = numberOf(inputs, "qos");
  if (qos !== 0 && qos !== 1 && qos !== 2) throw inputError(`"qos" must be 0, 1 or 2, not ${qos}.`);
  return {
    topic: textOf(inputs, "topic"),
    payload: textOf(inputs, "message"),
    qos,
    retain: inputs.retain === true,
    timeoutMs: 1000 * numberOf(inputs, "timeout"),
  };
}
