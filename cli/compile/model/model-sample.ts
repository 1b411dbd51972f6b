import { readFile } from 'node:fs/promises'
import { DomainError } from '../../../core/kernel/errors.ts'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'
import { openOfflineGenerator } from '../../../core/model/generation/offline-generator.ts'
import type { Constraint, GenerationOptions } from '../../../core/model/generation/options.ts'
import type { OpenedBase } from '../../../core/model/files/base-model.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { openModelFolders } from './model-folders.ts'
import type { SampleFlags } from './model-flags.ts'

const SCHEMA_DEPTH = 64

/** `svc model sample`: prints a continuation of a prompt; only the text goes to standard output. */
export async function sample(context: CliContext, flags: SampleFlags): Promise<void> {
  const options = await readOptions(flags)
  const { base, adapter } = await openModelFolders(flags)
  const generator = openOfflineGenerator(base.model, base.tokenizer)
  const answer = await generator.generate({ promptIds: encodePrompt(base, flags), adapter, options })
  await generator.close()
  const report = {
    text: answer.text,
    ids: answer.ids,
    finish: answer.finish,
    logprob: answer.logProb,
    confidence: answer.confidence,
    prompt_tokens: answer.promptTokens,
    new_tokens: answer.newTokens,
    tokens_per_second: answer.tokensPerSecond,
  }
  context.output.result(report, () => answer.text)
  context.output.note(
    `${answer.newTokens} tokens, ${answer.tokensPerSecond.toFixed(0)} tokens/s, probability ${answer.confidence.toPrecision(3)}, ended by ${answer.finish}`,
  )
}

function encodePrompt({ tokenizer, chatTemplate }: OpenedBase, { prompt, chat }: SampleFlags): readonly number[] {
  if (chat !== true) return tokenizer.encode(prompt, { addSpecial: true })
  if (chatTemplate === null) throw usageError('--chat: the base has no chat template')
  return tokenizer.encode(chatTemplate.render([{ role: 'user', content: prompt }], { addGenerationPrompt: true }))
}

async function readOptions(flags: SampleFlags): Promise<Partial<GenerationOptions>> {
  const constraint = await readConstraint(flags)
  return {
    ...(flags.maxTokens === undefined ? {} : { maxNewTokens: flags.maxTokens }),
    ...(flags.temperature === undefined ? {} : { temperature: flags.temperature }),
    ...(flags.topP === undefined ? {} : { topP: flags.topP }),
    ...(flags.topK === undefined ? {} : { topK: flags.topK }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.stop === undefined ? {} : { stop: flags.stop }),
    ...(constraint === undefined ? {} : { constraint }),
  }
}

async function readConstraint({ labels, regex, jsonSchema }: SampleFlags): Promise<Constraint | undefined> {
  if ([labels, regex, jsonSchema].filter((given) => given !== undefined).length > 1) {
    throw usageError('use only one of --labels, --regex and --json-schema')
  }
  if (labels !== undefined) return { type: 'labels', labels: labels.split(',') }
  if (regex !== undefined) return { type: 'regex', pattern: regex }
  if (jsonSchema === undefined) return undefined
  try {
    const schema = parseJsonText(await readFile(jsonSchema, 'utf8'), SCHEMA_DEPTH, jsonSchema)
    return { type: 'json-schema', schema }
  } catch (cause) {
    throw usageError(cause instanceof DomainError ? cause.message : `cannot read ${jsonSchema}`, cause)
  }
}
