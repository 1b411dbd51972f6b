import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import { countParameters } from '../../../core/model/config/weight-names.ts'
import { hashBase } from '../../../core/model/files/base-model.ts'
import { readBaseTokenizer } from '../../../core/model/files/base-tokenizer.ts'
import { inspectBase } from '../../../core/model/files/inspect-base.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { formatBytes, formatFacts } from '../../terminal/table.ts'

const FLOAT32_BYTES = 4

/**
 * `svc model info`: shows the content of a weights folder after checking config, tensors and tokenizer against each
 * other. Reads the weights to hash them and keeps none in memory.
 */
export async function showModel(context: CliContext, directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined)
  if (found?.isDirectory() !== true) throw usageError(`${directory} is not a folder`)
  const facts = await inspectBase(directory)
  const { config, dtypes, storedBytes, files, extraTensors } = facts
  const { tokenizer, chatTemplate } = await readBaseTokenizer(directory, config)
  const parameters = countParameters(config)
  const report = {
    name: basename(resolve(directory)),
    architecture: config.architecture,
    family: config.family,
    parameters,
    dtypes,
    files: files.length,
    stored_bytes: storedBytes,
    float32_bytes: parameters * FLOAT32_BYTES,
    context_length: config.contextLength,
    vocab_size: config.vocabSize,
    tokenizer_size: tokenizer.vocabSize,
    tied_embeddings: config.tiedEmbeddings,
    hidden_size: config.hiddenSize,
    layers: config.layers,
    heads: config.heads,
    kv_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.intermediateSize,
    rope: { theta: config.ropeTheta, scaling: config.ropeScaling },
    eos_token_ids: config.eosTokenIds,
    has_chat_template: chatTemplate !== null,
    extra_tensors: extraTensors,
    weights_hash: await hashBase(directory, facts),
  }
  context.output.result(report, () =>
    formatFacts([
      ['name', report.name],
      ['architecture', `${report.architecture} (${report.family})`],
      ['parameters', parameters.toLocaleString('en')],
      ['stored as', `${dtypes.join(', ')}, ${formatBytes(storedBytes)} in ${countOf(files.length, 'file')}`],
      ['in memory', `${formatBytes(report.float32_bytes)} as float32`],
      ['layers', `${config.layers} of width ${config.hiddenSize}, MLP ${config.intermediateSize}`],
      ['attention', `${config.heads} heads of ${config.headDim}, ${config.kvHeads} of keys and values`],
      ['context', countOf(config.contextLength, 'token')],
      ['vocabulary', `${config.vocabSize} rows, ${tokenizer.vocabSize} ids in the tokenizer`],
      ['embeddings', config.tiedEmbeddings ? 'tied to the output head' : 'separate from the output head'],
      ['rope', describeRope(config)],
      ['chat template', chatTemplate === null ? 'none' : `${chatTemplate.source.length} characters`],
      ...(extraTensors.length > 0 ? [['not used', describeExtras(extraTensors)] as const] : []),
      ['weights hash', report.weights_hash],
    ]),
  )
}

function describeRope({ ropeTheta, ropeScaling }: ModelConfig): string {
  const theta = `theta ${ropeTheta}`
  switch (ropeScaling.type) {
    case 'none':
      return theta
    case 'linear':
      return `${theta}, linear scaling by ${ropeScaling.factor}`
    case 'llama3':
      return `${theta}, llama3 scaling by ${ropeScaling.factor} from ${ropeScaling.originalContext} tokens`
  }
}

function describeExtras(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more tensors` : shown
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
