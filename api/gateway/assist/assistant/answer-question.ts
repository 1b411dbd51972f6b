import type { AnswerSource } from '../../../../core/gateway/wire/assist/assistant.ts'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import { DomainError, isOneOf } from '../../../../core/kernel/errors.ts'
import { extractAnswer } from '../../../../core/kernel/search/extract-answer.ts'
import type { FoundPassage, SearchIndex } from '../../../../core/kernel/search/search-index.ts'
import type { Passage } from '../../../../core/kernel/search/passage.ts'
import { grantsScope } from '../../../../core/kernel/scopes.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import { askModel, type Asker, type ModelReply } from './ask-model.ts'
import { chooseModel } from './choose-model.ts'
import { findPassages, type AskedQuestion } from './find-passages.ts'
import { messagesFor, readAnswer, type ModelQuestion } from './prompt.ts'

/** A question for the assistant. */
export interface Question extends AskedQuestion, Pick<ModelQuestion, 'system' | 'conversation'> {
  readonly maxTokens: number
  /** The model that the caller names. */
  readonly model: string | undefined
}

/** The asking caller; without a key the documentation answers alone. */
export type QuestionAsker = Omit<Asker, 'principal'> & { readonly principal: Principal | undefined }

/** One of those who were asked. */
export interface AnswerStep {
  readonly by: string
  readonly outcome: 'answered' | 'unknown' | 'uncited' | 'failed'
  readonly code: string | null
}

/** An answer, and how it was made. */
export interface Answered {
  readonly text: string
  readonly isKnown: boolean
  readonly sources: readonly AnswerSource[]
  readonly steps: readonly AnswerStep[]
  /** The reply of the model that was asked last, whether its answer was used or not; null without one. */
  readonly reply: ModelReply | null
  /** True when the model wrote the answer. */
  readonly isByModel: boolean
}

const DOCUMENTATION = 'documentation'

/**
 * Answers a question from the documentation: by a model that is given the sections found, where a key for one is at hand, else
 * by sentences of the sections. A model's answer that cites none of them is not used. Throws what refuses the call of a
 * model before it is sent: quota, budget, guardrails, privacy.
 */
export async function answerQuestion(asker: QuestionAsker, asked: Question): Promise<Answered> {
  const index = await asker.services.handbook.index()
  const { question, found } = findPassages(index, asked)
  const passages = found.map(({ passage }) => passage)
  const asking = passages.length === 0 ? NOT_ASKED : await ask(asker, asked, passages)
  if (asking.answer !== null) {
    const { text, isUnknown, cited } = asking.answer
    if (isUnknown)
      return { ...asking, text: unknownText(index, asked.question), isKnown: false, sources: [], isByModel: true }
    if (cited.length > 0)
      return { ...asking, text, isKnown: true, sources: sourcesOf(passages, cited), isByModel: true }
  }
  return { ...byDocumentation(index, { question, asked: asked.question, found }, asking.steps), reply: asking.reply }
}

interface Asking {
  readonly reply: ModelReply | null
  readonly answer: ReturnType<typeof readAnswer> | null
  readonly steps: readonly AnswerStep[]
}

const NOT_ASKED: Asking = { reply: null, answer: null, steps: [] }

async function ask(asker: QuestionAsker, asked: Question, passages: readonly Passage[]): Promise<Asking> {
  const { principal, services } = asker
  if (principal === undefined || !grantsScope(principal.scopes, 'gateway:call')) return NOT_ASKED
  const target = await chooseModel(services, principal, asked.model)
  if (target === null) return NOT_ASKED
  const by = `${target.provider.id}:${target.model}`
  const messages = messagesFor({ ...asked, passages })
  try {
    const reply = await askModel({ ...asker, principal }, { target, messages, maxTokens: asked.maxTokens })
    const answer = readAnswer(reply.text, passages.length)
    const outcome = answer.isUnknown ? 'unknown' : answer.cited.length > 0 ? 'answered' : 'uncited'
    return { reply, answer, steps: [{ by, outcome, code: null }] }
  } catch (error) {
    if (!isElsewhere(error)) throw error
    return { ...NOT_ASKED, steps: [{ by, outcome: 'failed', code: error.code }] }
  }
}

/** True for what keeps a provider from answering, which is no reason to refuse the question. */
function isElsewhere(error: unknown): error is DomainError {
  if (!(error instanceof DomainError)) return false
  return error.facts.isElsewhere === true || isOneOf(error, [GATEWAY_ERRORS.no_provider_key])
}

function byDocumentation(
  index: SearchIndex,
  {
    question,
    asked,
    found,
  }: { readonly question: string; readonly asked: string; readonly found: readonly FoundPassage[] },
  before: readonly AnswerStep[],
): Omit<Answered, 'reply'> {
  const extracted = extractAnswer(index, question, found)
  const step = (outcome: AnswerStep['outcome']) => [...before, { by: DOCUMENTATION, outcome, code: null }]
  if (extracted === null) {
    return { text: unknownText(index, asked), isKnown: false, sources: [], steps: step('unknown'), isByModel: false }
  }
  const { text, passages } = extracted
  const sources = sourcesOf(
    passages,
    passages.map((_, at) => at + 1),
  )
  return { text, isKnown: true, sources, steps: step('answered'), isByModel: false }
}

function unknownText(index: SearchIndex, question: string): string {
  const missing = index.missing(question).slice(0, 5)
  const words = missing.length === 0 ? '' : ` It does not mention: ${missing.join(', ')}.`
  return `The documentation does not answer this.${words}`
}

function sourcesOf(passages: readonly Passage[], numbers: readonly number[]): readonly AnswerSource[] {
  return numbers.flatMap((n) => {
    const passage = passages[n - 1]
    return passage === undefined ? [] : [{ n, title: passage.title, heading: passage.heading, url: passage.url }]
  })
}
