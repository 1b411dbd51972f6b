import { z } from 'zod'
import type { Limits } from '../../limits.ts'
import { builderBody } from './previews.ts'
import { CompileChoices } from '../jobs/spec.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { JobSummaryView } from '../jobs/job.ts'
import { JobId } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

/** Body of `POST /v1/builder/compile`. */
export const compileBuilderBody = (limits: Limits) =>
  builderBody(limits).extend(CompileChoices.pick({ k_score_floor: true, concept_id: true }).shape)

/** Answer of `GET /v1/builder/templates`. */
export const ListTemplatesAnswer = z.object({
  templates: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      task: z.string(),
      examples: z.array(z.object({ input: JsonValue, output: JsonValue })),
    }),
  ),
})

/** Answer of `GET /v1/builds`. */
export const ListBuildsAnswer = z.object({
  total: z.int(),
  builds: z.array(JobSummaryView.extend({ job_id: JobId, task: z.string(), base_model: z.string() })),
  next_cursor: NextCursor,
})
