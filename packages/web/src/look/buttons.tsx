import type { ComponentProps, ReactNode } from "react";

export interface TextButtonProps extends ComponentProps<"button"> {
  /** `primary` is what a person is asked for: one of it in a place. */
  readonly look?: "plain" | "primary";
}

const LOOKS = {
  plain: "border-line bg-raised text-text hover:bg-pressed disabled:text-muted",
  primary: "border-accent bg-accent font-semibold text-accent-ink enabled:hover:underline disabled:opacity-50",
} as const;

/** A button that is a word. */
export function TextButton({ look = "plain", className = "", ...rest }: TextButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={`min-h-7 rounded-base border px-2.5 py-0.5 text-small ${LOOKS[look]} ${className}`}
      {...rest}
    />
  );
}

export interface IconButtonProps extends ComponentProps<"button"> {
  /** What it does, for those who do not see the icon, and on hover. */
  readonly label: string;
}

/** A button that is an icon, with its name in words. */
export function IconButton({ label, className = "", ...rest }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-grid size-9 shrink-0 place-items-center rounded-base text-muted hover:bg-pressed hover:text-text disabled:opacity-50 ${className}`}
      {...rest}
    />
  );
}
