import type { z } from 'zod'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import {
  CheckedLabels,
  WithoutDoubtful,
  type HeldOutLabels,
  type UncheckedReason,
} from '../../wire/distill/held-out-labels.ts'
import { LEAST_PER_LABEL } from '../../datasets/quality/label-noise.ts'
import { MOST_NAMED, SAMPLE_ROWS } from '../../datasets/quality/quality-report.ts'
import { LEAST_TO_HOLD_OUT } from '../train-ratio.ts'

/** Members of the manifest of a run: what the stage `curate` found, and what the result is without these rows. */
const LABELS = 'held_out_labels'
const WITHOUT = 'without_doubtful_labels'

const MESSAGES: Readonly<Record<UncheckedReason, string>> = {
  pairs: 'Pairs say which answer is better; they have no label that could be wrong.',
  no_labels: 'The outputs are not categories, so a model cannot expect one of them.',
  no_held_out_rows: `No row is held out: from ${LEAST_TO_HOLD_OUT} captures on, a fifth is.`,
  too_few_per_label: `Fewer than two labels have ${LEAST_PER_LABEL} rows to learn from.`,
  too_many_rows: `There are more than ${SAMPLE_ROWS} rows to learn from, too many to compare.`,
}

/** Returns what was found of held-out labels as a member of the manifest. */
export function labelsMember(found: CheckedLabels): JsonObject {
  return {
    [LABELS]: found.status === 'checked' ? { ...found, suspects: found.suspects.map((one) => ({ ...one })) } : found,
  }
}

/** Returns the result without doubtful rows as a member of the manifest; no member where there is none. */
export function withoutMember(without: z.infer<typeof WithoutDoubtful> | null): JsonObject {
  return without === null ? {} : { [WITHOUT]: without }
}

/** Reads what was found of held-out labels out of a manifest; null before the stage `curate`, and in older runs. */
export function labelsOf(manifest: JsonObject | null | undefined): CheckedLabels | null {
  return CheckedLabels.safeParse(manifest?.[LABELS]).data ?? null
}

/** Returns what was found of held-out labels as a run shows it, and the other members of the manifest. */
export function showLabels(manifest: JsonObject | null | undefined): {
  readonly labels: z.input<typeof HeldOutLabels> | null
  readonly others: JsonObject | null
} {
  const { [LABELS]: _labels, [WITHOUT]: without, ...others } = manifest ?? {}
  const found = labelsOf(manifest)
  return { labels: found === null ? null : shown(found, without), others: manifest ? others : null }
}

function shown(found: CheckedLabels, without: Json | undefined): z.input<typeof HeldOutLabels> {
  if (found.status === 'not_checked') return { ...found, message: MESSAGES[found.reason] }
  return {
    ...found,
    suspects: found.suspects.slice(0, MOST_NAMED),
    without_doubtful: WithoutDoubtful.safeParse(without).data ?? null,
  }
}

/**
 * Returns a manifest whose list of doubtful labels names none of these rows: they were forgotten. Its counts stay as they
 * were measured.
 */
export function withoutNamedRows(manifest: JsonObject, ids: ReadonlySet<string>): JsonObject {
  const found = labelsOf(manifest)
  if (found?.status !== 'checked') return manifest
  return {
    ...manifest,
    ...labelsMember({ ...found, suspects: found.suspects.filter(({ row_id: id }) => !ids.has(id)) }),
  }
}
