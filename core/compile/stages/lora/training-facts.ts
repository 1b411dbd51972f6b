import { z } from 'zod'

const Loss = z.object({ step: z.int(), loss: z.number() })
const MOST_CHARS = 200

/** A training report, in the form that all trainers use. */
export const TrainingFacts = z.object({
  trainer: z.enum(['embedded', 'peft']),
  objective: z.string().max(MOST_CHARS),
  history: z.object({
    steps: z.array(Loss.extend({ epoch: z.number(), learningRate: z.number() })),
    validation: z.array(Loss.extend({ risk: z.number() })),
  }),
  rows: z.object({ train: z.int(), validation: z.int() }),
  tokensPerSecond: z.number(),
  usefulTokens: z.number(),
  seconds: z.number(),
  device: z.string().max(MOST_CHARS),
  versions: z.record(z.string().max(MOST_CHARS), z.string().max(MOST_CHARS)),
})
