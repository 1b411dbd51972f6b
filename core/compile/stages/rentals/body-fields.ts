import type { JsonObject } from '../../../kernel/json/json.ts'
import { learnedCapturesOf } from '../../wire/jobs/captures.ts'
import { usedDatasetOf } from '../../wire/jobs/dataset.ts'

/** The fields of a body by which a caller gives rows and task of a fit on a rented machine. */
export interface BodyFields {
  readonly rows: string
  readonly task: string
}

/** Those of `POST /v1/cloud/distill/submit`. */
export const CLOUD_DISTILL_FIELDS: BodyFields = { rows: 'namespace', task: 'task' }

/** Returns those of the call that made a job with a spec. */
export function bodyFieldsOf(spec: JsonObject): BodyFields {
  if (usedDatasetOf(spec)?.run_id !== undefined) return CLOUD_DISTILL_FIELDS
  return { rows: learnedCapturesOf(spec) === undefined ? 'spec.examples' : 'namespace', task: 'spec.task' }
}
