import type { Generator } from '../../../core/model/generation/generator.ts'
import type { Tokenizer } from '../../../core/model/tokenizer/tokenizer.ts'
import { encodePrompt } from '../encode.ts'
import type { Question } from './questions.ts'

/** Tokens of an answer at most; the longest of the training text are shorter. */
const LONGEST_ANSWER = 96

/** Answers of the base to questions, greedily decoded, in their order. */
export const ask = async (
  generator: Pick<Generator, 'generate'>,
  tokenizer: Tokenizer,
  questions: readonly Question[],
): Promise<readonly string[]> =>
  await Promise.all(
    questions.map(async ({ answered, input }) => {
      const promptIds = encodePrompt(tokenizer, answered, input)
      const { text } = await generator.generate({ promptIds, options: { maxNewTokens: LONGEST_ANSWER } })
      return text
    }),
  )

/** The share of questions that are answered exactly. */
export const exactShare = (questions: readonly Question[], answers: readonly string[]): number =>
  questions.filter(({ output }, i) => answers[i] === output).length / Math.max(1, questions.length)
