import type { WorkflowSpec } from "@vision-agent/protocol";

/** Words in the names of blocks that send, store or switch something outside the workflow. */
const ACTS =
  /sink|notification|upload|webhook|metadata|aggregator|event|asset_library|mqtt|kafka|modbus|opc|plc|sql|writer|cache_set|inner_workflow/i;

/**
 * True when a run may leave traces, so that sending it again could do everything twice. In doubt it may:
 * code of one's own and blocks of unknown makers can do anything.
 */
export function mayAct(specification: WorkflowSpec): boolean {
  const ownCode = specification.dynamic_blocks_definitions;
  if (Array.isArray(ownCode) && ownCode.length > 0) return true;
  return specification.steps.some(({ type }) => {
    const isForeign = type.includes("/") && !type.startsWith("roboflow_core/");
    return isForeign || ACTS.test(type);
  });
}
