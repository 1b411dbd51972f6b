import { readBaseTokenizer } from '../../../model/files/base-tokenizer.ts'
import { readBaseConfig } from '../../../model/files/inspect-base.ts'
import type { TokenCounter } from '../quality/report-quality.ts'
import type { BuildInput } from './build-task.ts'

/** Opens the tokenizer of a base to count tokens with; null for none. */
export async function openTokenizer(base: BuildInput['tokenizer']): Promise<TokenCounter | null> {
  if (base === null) return null
  const { tokenizer } = await readBaseTokenizer(base.directory, await readBaseConfig(base.directory))
  return { name: base.name, count: (text) => tokenizer.encode(text, { asPlainText: true }).length }
}
