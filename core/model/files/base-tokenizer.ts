import { MODEL_ERRORS } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { parseChatTemplate, type ChatTemplate } from '../tokenizer/chat-template.ts'
import { loadTokenizer } from '../tokenizer/load-tokenizer.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import { readObject, readText, requireObject } from './base-files.ts'

/** The members of tokenizer_config.json that chat templates write. */
const TEMPLATE_TOKENS = ['bos_token', 'eos_token', 'pad_token', 'unk_token'] as const

/**
 * The tokenizer of a base's folder and its chat template: chat_template.jinja, else `chat_template` of
 * tokenizer_config.json (a text, or a list of named ones of which `default` is taken). Throws `invalid_model`, also
 * when the tokenizer has ids that the embedding matrix lacks.
 */
export async function readBaseTokenizer(
  directory: string,
  config: ModelConfig,
): Promise<{ readonly tokenizer: Tokenizer; readonly chatTemplate: ChatTemplate | null }> {
  const settings = (await readObject(directory, 'tokenizer_config.json')) ?? {}
  const tokenizer = loadTokenizer(await requireObject(directory, 'tokenizer.json'), settings)
  if (tokenizer.vocabSize > config.vocabSize) {
    throw MODEL_ERRORS.invalid_model(
      `the tokenizer does not match the weights: its ids go up to ${tokenizer.vocabSize - 1}, and the embedding has ${config.vocabSize} rows`,
    )
  }
  const source = (await readText(directory, 'chat_template.jinja')) ?? findTemplate(settings['chat_template'])
  return { tokenizer, chatTemplate: source === undefined ? null : parseChatTemplate(source, templateTokens(settings)) }
}

function findTemplate(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  const named = Array.isArray(value) ? value.filter((each: Json) => isJsonObject(each)) : []
  const template = named.find((each) => each['name'] === 'default')?.['template']
  if (typeof template === 'string') return template
  throw MODEL_ERRORS.invalid_model('tokenizer_config.json: chat_template is neither a text nor has one named default')
}

function templateTokens(settings: JsonObject): Readonly<Record<string, string>> {
  const tokens: Record<string, string> = {}
  for (const name of TEMPLATE_TOKENS) {
    const value = settings[name]
    const content = isJsonObject(value) ? value['content'] : value
    if (typeof content === 'string') tokens[name] = content
  }
  return tokens
}
