import type { JsonObject } from '../../kernel/json/json.ts'

/** Member of a run's manifest once it has paid for an answer of unknown cost. */
export const SPEND_UNKNOWN = { spend_known: false } as const

/** Returns what a run has spent in US dollars; null once a part of it is unknown. */
export function spentUsd(manifest: JsonObject | null | undefined, micros: number): number | null {
  return manifest?.['spend_known'] === false ? null : micros / 1e6
}
