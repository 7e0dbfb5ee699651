/** Links viewers of a page so that they move together. */
import type { ViewState, WantedState } from "../model/state.js";

/** A viewer as seen by the other members of its link. */
export interface Linked {
  readonly current: ViewState | undefined;
  follow(wanted: WantedState): void;
}

const links = new Map<string, Set<Linked>>();

/** Joins a link. @returns a function that leaves it. */
export function joinLink(name: string, member: Linked): () => void {
  const members = links.get(name) ?? new Set();
  links.set(name, members.add(member));
  return () => {
    members.delete(member);
    if (members.size === 0) links.delete(name);
  };
}

/** Moves the other members of a link to a member's view. */
export function tellLinked(name: string, member: Linked): void {
  for (const other of links.get(name) ?? []) if (other !== member) lead(member, other);
}

/** Moves a member that has just opened a source to the view of the others. */
export function followLinked(name: string, member: Linked): void {
  const leader = [...(links.get(name) ?? [])].find((other) => other !== member && other.current);
  if (leader) lead(leader, member);
}

function lead({ current: from }: Linked, other: Linked): void {
  const to = other.current;
  if (!from || !to) return;
  const { axes, index, window, camera } = from;
  // Arrays with different numbers of dimensions share only the camera.
  if (to.index.length === index.length) other.follow({ axes, index, window, camera });
  else if (to.axes.length === axes.length && camera) other.follow({ camera });
}
