/** Identifiers of the rows of a table, which selections hold. */

/** A label, or the number of a row; "REGION:LABEL" if a table annotates several elements, whose labels may be equal. */
export type RowId = number | string;

const form = /^([\w.-]+):(-?\d{1,15})$/;

export const isRegionId = (value: unknown): value is string => typeof value === "string" && form.test(value);

/** The identifier of a label of a region. Names that a list could not hold are left out. */
export function regionId(region: string, label: number): RowId {
  const id = `${region}:${label}`;
  return isRegionId(id) ? id : label;
}

/** The labels of a region in a list; those without a region are labels of any. */
export function labelsIn(list: readonly RowId[], region: string | undefined): number[] {
  return list.flatMap((id) => {
    if (typeof id === "number") return [id];
    const [, own, label] = form.exec(id) ?? [];
    return own === region && label !== undefined ? [Number(label)] : [];
  });
}

/** The label of an identifier. */
export const labelOf = (id: RowId): number => (typeof id === "number" ? id : Number(form.exec(id)?.[2]));
