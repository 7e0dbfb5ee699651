/** Viewers of a page that move together. */
import type { ViewState, WantedState } from "../model/state.js";

/** A viewer as others of its link see it. */
export interface Linked {
  readonly current: ViewState | undefined;
  follow(wanted: WantedState): void;
}

const links = new Map<string, Set<Linked>>();

/** Takes part in a link. @returns what ends it. */
export function joinLink(name: string, member: Linked): () => void {
  const members = links.get(name) ?? new Set();
  links.set(name, members.add(member));
  return () => {
    members.delete(member);
    if (members.size === 0) links.delete(name);
  };
}

/** Makes the others of a link look where a member looks. */
export function tellLinked(name: string, member: Linked): void {
  for (const other of links.get(name) ?? []) if (other !== member) lead(member, other);
}

/** Makes a member that has just opened something look where the others do. */
export function followLinked(name: string, member: Linked): void {
  const leader = [...(links.get(name) ?? [])].find((other) => other !== member && other.current);
  if (leader) lead(leader, member);
}

function lead({ current: from }: Linked, other: Linked): void {
  const to = other.current;
  if (!from || !to) return;
  const { axes, index, window, camera } = from;
  // Where one looks means the same in arrays of as many dimensions; in others only within the plane.
  if (to.index.length === index.length) other.follow({ axes, index, window, camera });
  else if (to.axes.length === axes.length && camera) other.follow({ camera });
}
