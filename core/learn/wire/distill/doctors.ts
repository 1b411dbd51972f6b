import { z } from 'zod'

const TrainerView = z
  .object({
    kind: z.enum(['embedded', 'peft']),
    versions: z.record(z.string(), z.string()),
    device: z.string().nullable(),
    objectives: z.array(z.string()),
    last_heard_at: z.iso.datetime(),
  })
  .meta({ id: 'TrainerInstance' })

/** Answer of a doctor of trainers; 200 whether or not one is ready. */
export const TrainerDoctorAnswer = z
  .object({
    ok: z.boolean().meta({ description: 'Whether the kind of training can be done now' }),
    ready: z.boolean(),
    kind: z.enum(['distill_onpolicy', 'distill_preference']),
    trainer: z.string().nullable().meta({ description: 'Kinds of the trainers that can do it: embedded, peft' }),
    trainer_source: z.enum(['task_queue']).meta({ description: 'Workers that poll a queue of Temporal were asked' }),
    requires_local_teacher: z.boolean(),
    objectives: z.array(z.string()).meta({ description: 'Objectives that can be trained now' }),
    trainers: z.array(TrainerView),
    missing: z.array(z.object({ id: z.string(), why: z.string() }).meta({ id: 'MissingTrainer' })),
    error: z.literal('no_trainer_installed').optional(),
    install_hint: z.string().optional(),
  })
  .meta({ id: 'TrainerDoctor' })
