/** Links viewers of a page so that they move together. */
import type { ViewState, WantedState } from "../model/state.js";
import type { RowId } from "../source/row-id.js";

/** The parts of a state that linked viewers share. */
const sharedParts = ["axes", "index", "window", "camera"] as const;
type SharedPart = (typeof sharedParts)[number];
type Position = Partial<Pick<ViewState, SharedPart>>;

/** A viewer as seen by the other members of its link. */
export interface Linked {
  readonly current: ViewState | undefined;
  /** The state of its source without any settings. */
  readonly usual: ViewState | undefined;
  /** Parts that the page has set: those of other viewers do not override them. */
  readonly ownParts: ReadonlySet<string>;
  /** Whether it shows a scatter plot, which shares the selection only. */
  readonly isPlot: boolean;
  follow(wanted: WantedState): void;
}

/** A position, and the number of dimensions of the array that it is in. */
interface Published {
  readonly rank: number;
  readonly position: Position;
}

interface Link {
  readonly members: Set<Linked>;
  /** The positions that members were given or moved to, the latest last; defaults are not among them. */
  published: readonly Published[];
  /** The labels or rows that a member has selected. */
  selected?: readonly RowId[];
}

const links = new Map<string, Link>();

/** Joins a link. @returns a function that leaves it. */
export function joinLink(name: string, member: Linked): () => void {
  const link = links.get(name) ?? { members: new Set(), published: [] };
  link.members.add(member);
  links.set(name, link);
  return () => {
    link.members.delete(member);
    if (link.members.size === 0) links.delete(name);
  };
}

/** Moves the other members of a link along with one whose state has changed. */
export function tellLinked(name: string, member: Linked, before: ViewState): void {
  const link = links.get(name);
  const { current } = member;
  if (!link || !current) return;
  const { selected } = current.labels;
  if (text(before.labels.selected) !== text(selected)) {
    link.selected = selected;
    for (const other of link.members) if (other !== member) select(other, selected);
  }
  if (member.isPlot) return;
  const news = publish(link, current, (part) => text(before[part]) !== text(current[part]));
  if (news) for (const other of link.members) if (other !== member) lead(news, other);
}

/** Brings a member that has just opened a source together with the others. */
export function enterLink(name: string, member: Linked): void {
  const link = links.get(name);
  const { current, usual, ownParts } = member;
  if (!link || !current || !usual) return;
  if (current.labels.selected.length > 0) link.selected ??= current.labels.selected;
  if (link.selected) for (const one of link.members) select(one, link.selected);
  if (member.isPlot) return;
  const known = new Set(
    link.published
      .filter(({ rank }) => rank === current.index.length)
      .flatMap(({ position }) => Object.keys(position)),
  );
  for (const one of link.published) lead(one, member, ownParts);
  const news = publish(
    link,
    current,
    (part) => ownParts.has(part) && !known.has(part) && text(current[part]) !== text(usual[part]),
  );
  if (news) for (const other of link.members) if (other !== member) lead(news, other, other.ownParts);
}

const text = (value: unknown): string => JSON.stringify(value);

/** Selects labels, or the rows that annotate them. */
function select(member: Linked, selected: readonly RowId[]): void {
  const { current } = member;
  if (current && text(current.labels.selected) !== text(selected))
    member.follow({ labels: { ...current.labels, selected } });
}

/** Adds parts of a state to the position of a link. */
function publish(
  link: Link,
  state: ViewState,
  isWanted: (part: SharedPart) => boolean,
): Published | undefined {
  const entries = sharedParts.filter(isWanted).map((part) => [part, state[part]] as const);
  if (entries.length === 0) return undefined;
  const rank = state.index.length;
  const position = Object.fromEntries(entries) as Position;
  const before = link.published.find((one) => one.rank === rank);
  link.published = [
    ...link.published.filter((one) => one !== before),
    { rank, position: { ...before?.position, ...position } },
  ];
  return { rank, position };
}

function lead({ rank, position }: Published, member: Linked, without: ReadonlySet<string> = new Set()): void {
  const to = member.current;
  if (!to || member.isPlot) return;
  // Arrays with different numbers of dimensions share only the camera.
  const isSame = to.index.length === rank;
  const entries = Object.entries(position).filter(
    ([part, value]) =>
      !without.has(part) && (isSame || (part === "camera" && value !== null && to.axes.length === 2)),
  );
  if (entries.length > 0) member.follow(Object.fromEntries(entries));
}
