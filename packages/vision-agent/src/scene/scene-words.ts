/** "A car", "An umbrella". */
export function withArticle(className: string): string {
  return `${/^[aeiou]/i.test(className) ? "An" : "A"} ${className}`;
}

/** "people or cars"; "things" when no class is named, or too many to name. */
export function namesOf(classes: readonly string[]): string {
  return classes.length === 0 || classes.length > MOST_NAMED ? "things" : classes.map(plural).join(" or ");
}

const MOST_NAMED = 3;

/** "There are 3 people", "There is 1 car", "There are no people". */
export function thereAre(count: number, classes: readonly string[]): string {
  const [only] = classes;
  if (count !== 1) return `There are ${count === 0 ? "no" : count} ${namesOf(classes)}`;
  return `There is 1 ${only !== undefined && classes.length === 1 ? only : "thing"}`;
}

/** "2 min", "45 s". */
export function durationInWords(seconds: number): string {
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function plural(className: string): string {
  if (className === "person") return "people";
  return /(s|x|ch|sh)$/.test(className) ? `${className}es` : `${className}s`;
}
