import { z } from 'zod'
import { MODEL_ERRORS } from '../errors.ts'
import { canonicalJson, type Json } from '../../kernel/json/json.ts'
import type { ChatTemplate } from '../tokenizer/chat-template.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'

/**
 * Format of prompts. It is part of the recipe, so that a model is prompted as in training. `chat` writes the input as a
 * user's turn with the base's chat template, `plain` writes it under a heading.
 */
export const PromptFormat = z
  .object({
    template: z.enum(['chat', 'plain']),
    /** A line that leads every input; null for none. */
    instruction: z.string().max(4000).nullable(),
  })
  .readonly()
export type PromptFormat = z.infer<typeof PromptFormat>

/** Parts of a base that determine prompts. */
export interface PromptBase {
  readonly tokenizer: Tokenizer
  readonly chatTemplate: ChatTemplate | null
  /** The token that ends an answer. */
  readonly endTokenId: number
}

/** Turns inputs and outputs of a task into token ids of a base. */
export interface PromptEncoder {
  /** The prompt of an input. */
  prompt(input: Json): readonly number[]
  /** An output as an answer, with the token that ends it. */
  answer(output: Json): readonly number[]
}

/** A value as a text: texts as they are, everything else as canonical JSON. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value)
}

/** The format that suits a base: its chat template when it has one. */
export function promptFormatFor(
  base: Pick<PromptBase, 'chatTemplate'>,
  instruction: string | null = null,
): PromptFormat {
  return { template: base.chatTemplate === null ? 'plain' : 'chat', instruction }
}

/**
 * The encoder of a format on a base. Only the template may write special tokens: in inputs, outputs and the instruction
 * they are plain characters. Throws `invalid_model` when the format needs a chat template that the base lacks, or the
 * template fails or leaves the user's turn out.
 */
export function createPromptEncoder(format: PromptFormat, base: PromptBase): PromptEncoder {
  const { tokenizer, endTokenId } = base
  const plain = (text: string): readonly number[] => tokenizer.encode(text, { asPlainText: true })
  const lead = format.template === 'plain' ? leadingTokens(tokenizer, endTokenId) : []
  const [head = [], ...rest] = templateParts(format, base).map((part) => (part === '' ? [] : tokenizer.encode(part)))
  return {
    prompt(input) {
      const text = valueText(input)
      const content = plain(format.instruction === null ? text : `${format.instruction}\n${text}`)
      return [...lead, ...head, ...rest.flatMap((part) => [...content, ...part])]
    },
    answer: (output) => [...plain(valueText(output)), endTokenId],
  }
}

/** Marks the place of the user's text in a rendered template; templates do not inspect private use characters. */
const USER_TEXT_MARK = '\uE000\uE001\uE000'

/** The texts before and after the user's own. */
function templateParts(format: PromptFormat, { chatTemplate }: PromptBase): readonly string[] {
  if (format.template === 'plain') return ['Input:\n', '\n\nOutput:\n']
  if (chatTemplate === null) throw MODEL_ERRORS.invalid_model('the recipe needs a chat template: the base has none')
  const text = chatTemplate.render([{ role: 'user', content: USER_TEXT_MARK }], { addGenerationPrompt: true })
  const parts = text.split(USER_TEXT_MARK)
  if (parts.length > 1) return parts
  throw MODEL_ERRORS.invalid_model("chat_template leaves the user's turn out")
}

/** The token that the tokenizer puts in front of every text, where it does; a chat template writes it itself. */
function leadingTokens(tokenizer: Tokenizer, endTokenId: number): readonly number[] {
  return tokenizer.encode('', { addSpecial: true }).filter((id, place) => place === 0 && id !== endTokenId)
}

/**
 * The part of a prompt that leaves room for an answer: tokens are dropped from its left, at least one stays. The same cut is made
 * when rows are encoded and when a model is asked.
 */
export function cutPrompt(
  prompt: readonly number[],
  room: number,
): { readonly prompt: readonly number[]; readonly droppedTokens: number } {
  const droppedTokens = Math.max(0, prompt.length - Math.max(1, room))
  return { prompt: droppedTokens === 0 ? prompt : prompt.slice(droppedTokens), droppedTokens }
}
