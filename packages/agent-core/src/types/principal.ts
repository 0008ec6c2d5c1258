/** Who asked. SC-3 */
export interface Principal {
  readonly userId: string;
  readonly agentId?: string;
  readonly roles?: readonly string[];
}
