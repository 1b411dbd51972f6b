import pLimit from 'p-limit'
import type { UnlabelledInput } from '../../../../core/compile/rows/intake/example.ts'
import type { Row } from '../../../../core/compile/task.ts'
import {
  labelPrompt,
  labelSchema,
  type LabelTask,
} from '../../../../core/compile/stages/teacher/labels/label-prompt.ts'
import { labelQuestion } from '../../../../core/compile/stages/teacher/questions.ts'
import { rowsAt } from '../../../../core/compile/stages/teacher/show-rows.ts'
import type { LabelQuestions } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import { inferOutputType } from '../../../../core/compile/stages/verifier/output-type.ts'
import type { Buyer } from './buyer.ts'

/** Samples of one input are to differ where the model is unsure, which is what their vote measures. */
const TEMPERATURE = 0.7
/** Inputs whose samples are bought at once; the teacher bounds the calls themselves. */
const INPUTS_AT_ONCE = 16

/** What labels are asked for with. */
export interface LabelAsk {
  readonly task: string
  readonly rows: readonly Row[]
  /** Places of the train rows. */
  readonly train: readonly number[]
  readonly unlabelled: readonly UnlabelledInput[]
  readonly maxOutputTokens: number
  readonly buyer: Buyer
}

/** Asks for the outputs of unlabelled inputs, input by input, so that a budget that ends leaves whole votes behind. */
export async function askLabels(ask: LabelAsk, questions: LabelQuestions): Promise<void> {
  const output = inferOutputType(rowsAt(ask.rows, ask.train))
  const task: LabelTask = { task: ask.task, output, shown: rowsAt(ask.rows, questions.shown) }
  const schema = labelSchema(output)
  const limit = pLimit(INPUTS_AT_ONCE)
  const asked = questions.inputs.map((place) =>
    limit(async () => {
      const given = ask.unlabelled[place]
      if (given === undefined) throw new RangeError(`there is no unlabelled input ${place}`)
      await ask.buyer.buy(labelQuestion(place), questions.samples, {
        messages: labelPrompt(task, given.input),
        temperature: TEMPERATURE,
        maxTokens: ask.maxOutputTokens,
        wantsJson: true,
        ...(schema === undefined ? {} : { schema }),
      })
    }),
  )
  const ends = await Promise.allSettled(asked)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
