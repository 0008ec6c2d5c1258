/** True for an error of the system with this code, such as `ENOENT`. */
export function hasErrorCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}
