import { z } from 'zod'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { RunAnswer } from '../run.ts'

/** Body of `POST /r/{token}/run`. */
export const SharedRunBody = z.object({ input: JsonValue }).meta({ id: 'SharedRun', example: { input: 'Ada Byron' } })

/** Answer of `POST /r/{token}/run`. */
export const SharedRunAnswer = RunAnswer.pick({
  output: true,
  abstained: true,
  confidence: true,
  unlike_examples: true,
}).extend({ runs_left: z.int().meta({ description: 'Runs that visitors of the link may still make' }) })
