/** Names of files that are being written, or were when a process ended: no key, and in no listing. */

const hidden = /^\.zw-[0-9a-z]+\.tmp$/;

export const isHidden = (name: string): boolean => hidden.test(name);

/** Whether a folder has a name that {@link hiddenName} gives: it was renamed in order to be deleted. */
export const isDeletedFolder = (name: string): boolean => /^\.zw-[0-9a-f]{32}\.tmp$/.test(name);

/** A name of that kind which nobody else takes. */
export function hiddenName(): string {
  return `.zw-${crypto.randomUUID().replaceAll("-", "")}.tmp`;
}
