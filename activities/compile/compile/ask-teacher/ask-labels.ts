import pLimit from 'p-limit'
import type { UnlabelledInput } from '../../../../core/compile/rows/intake/example.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
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
import { groundingQuery, type Ground } from './ground-teacher.ts'

/** Samples of one input differ where the model is unsure; their vote measures this. */
const TEMPERATURE = 0.7
/** Inputs whose samples are requested at once; the teacher bounds the calls themselves. */
const INPUTS_AT_ONCE = 16

/** Input for requesting labels. */
export interface LabelAsk {
  readonly task: string
  readonly rows: readonly Row[]
  /** Indices of the train rows. */
  readonly train: readonly number[]
  readonly unlabelled: readonly UnlabelledInput[]
  readonly maxOutputTokens: number
  readonly buyer: Buyer
  readonly ground: Ground
}

/** Requests outputs for unlabelled inputs, input by input, so that an exhausted budget leaves complete votes. */
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
        messages: labelPrompt(task, given.input, await ask.ground(groundingQuery(given.input))),
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
