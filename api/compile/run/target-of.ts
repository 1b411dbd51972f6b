import type { z } from 'zod'
import type { RunTargetFields } from '../../../core/compile/wire/run.ts'
import type { RunTarget } from '../../../db/compile/concepts/find-runnable.ts'

/** Returns the version that a body names; exactly one of its fields is given. */
export function targetOf(body: z.output<typeof RunTargetFields>): RunTarget {
  if (body.concept_id !== undefined) return { conceptId: body.concept_id }
  if (body.version_id !== undefined) return { versionId: body.version_id }
  return { artifactCid: body.artifact_cid ?? '' }
}
