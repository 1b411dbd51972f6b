import { z } from 'zod'
import { EXPORT_TARGETS } from '../../../model/export/targets.ts'
import { Figure } from '../../../kernel/wire/figure.ts'
import { ArtifactId } from '../../../kernel/wire/ids.ts'

/** The plan of an export. */
export const PlanView = z
  .object({
    target: z.enum(EXPORT_TARGETS),
    quant: z.string().meta({ description: 'How numbers are stored' }),
    source: ArtifactId,
    cid: z.string(),
    base_model: z.string(),
    plan: z.boolean().meta({
      description: 'True: the service does not make this file, `commands` do. False: `POST /v1/exports` writes it',
    }),
    est_output_bytes: z.int(),
    size_bytes: Figure.meta({
      description: 'The size of the file, where an export of this artifact to this format wrote one',
    }),
    est_output_gb: z.number().meta({ description: 'The same in GB (10^9 bytes), to six decimals' }),
    hint: z.string().meta({ description: 'Preparation' }),
    commands: z.array(z.string()),
    tools: z.string(),
    requires_gpu: z.boolean(),
    hardware: z.string(),
    calibration: z.string().nullable(),
    runtimes: z.array(z.string()),
    notes: z.array(z.string()),
  })
  .meta({ id: 'ExportPlan' })

/** Body of `POST /v1/export`. */
export const PlanExportBody = z.object({
  artifact_id: z.string().max(100).optional(),
  artifact: z.string().max(100).optional().meta({ description: 'Id or CID, in place of `artifact_id`' }),
  cid: z.string().max(100).optional(),
  target: z.enum(EXPORT_TARGETS),
  quant: z.string().max(40).optional().meta({ description: 'How numbers are stored; the usual way when absent' }),
})
