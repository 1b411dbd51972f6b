import { createContext, Script } from 'node:vm'
import { Template } from '@huggingface/jinja'
import { MODEL_ERRORS } from '../errors.ts'

/** One turn of a conversation. */
export interface ChatMessage {
  readonly role: string
  readonly content: string
}

/** Conversation format of a base. */
export interface ChatTemplate {
  /** The template text from the base's files. */
  readonly source: string
  /**
   * The text of a conversation; with `addGenerationPrompt` it ends where the answer begins. The same messages always
   * give the same text: the clock is not there. Throws `invalid_model` when the template fails, takes longer than a
   * second or writes more than 4 Mi characters.
   */
  render(messages: readonly ChatMessage[], options?: { readonly addGenerationPrompt?: boolean }): string
}

const MOST_TEMPLATE_CHARS = 256 * 1024
const MOST_OUTPUT_CHARS = 4 * 1024 * 1024
const MOST_RANGE = 100_000
const RENDER_TIMEOUT_MS = 1000

/**
 * Shadows two functions of the library: the clock, so that a prompt does not depend on the day (templates provide for
 * its absence with `is defined`), and `range`, which would fill the memory before any timeout.
 */
const PRELUDE = new Template('{% set strftime_now = undefined %}{% set range = bounded_range %}')

/** `work` is called from within a script because only a script has a timeout: a template may loop forever. */
const BOUNDED_CALL = new Script('work()')

/**
 * Parses a Jinja chat template. `tokens` are the texts of the special tokens that templates write: bos_token and so
 * on. Throws `invalid_model` for a template that is too long or is no template.
 */
export function parseChatTemplate(source: string, tokens: Readonly<Record<string, string>>): ChatTemplate {
  if (source.length > MOST_TEMPLATE_CHARS) {
    throw MODEL_ERRORS.invalid_model(`chat_template has more than ${MOST_TEMPLATE_CHARS} characters`)
  }
  const template = bounded(() => new Template(source))
  template.parsed.body.unshift(...PRELUDE.parsed.body)
  return {
    source,
    render: (messages, { addGenerationPrompt = false } = {}) => {
      const text = bounded(() =>
        template.render({
          ...tokens,
          bounded_range: boundedRange,
          messages: messages.map(({ role, content }) => ({ role, content })),
          add_generation_prompt: addGenerationPrompt,
        }),
      )
      if (text.length <= MOST_OUTPUT_CHARS) return text
      throw MODEL_ERRORS.invalid_model(`chat_template writes more than ${MOST_OUTPUT_CHARS} characters`)
    },
  }
}

function bounded<T>(work: () => T): T {
  let result: T | undefined
  const context = createContext({
    work: () => {
      result = work()
    },
  })
  try {
    BOUNDED_CALL.runInContext(context, { timeout: RENDER_TIMEOUT_MS })
  } catch (cause) {
    throw MODEL_ERRORS.invalid_model(`chat_template: ${faultOf(cause)}`, { cause })
  }
  if (result === undefined) throw MODEL_ERRORS.invalid_model('chat_template: gave nothing')
  return result
}

/** As Python's `range`. Throws a `RangeError` for more entries than a conversation needs. */
function boundedRange(...bounds: readonly unknown[]): readonly number[] {
  const [first = 0, second = null, step = 1] = bounds.filter((each) => typeof each === 'number')
  const [start, end] = second === null ? [0, first] : [first, second]
  const length = Math.max(0, Math.ceil((end - start) / step))
  if (!(length <= MOST_RANGE)) throw new RangeError(`range of more than ${MOST_RANGE} entries`)
  return Array.from({ length }, (_, index) => start + index * step)
}

/** Errors of the script's own realm are not instances of this realm's `Error`. */
function faultOf(cause: unknown): string {
  const message = typeof cause === 'object' && cause !== null && 'message' in cause ? cause.message : undefined
  return typeof message === 'string' ? message.slice(0, 200) : 'unknown fault'
}
