import { NO_BASE } from '../../../core/compile/stages/lora/lora-options.ts'
import { readQuotedBase, type QuotedBase } from '../../../core/compile/stages/rentals/quote/measure-fit.ts'
import { findKnown } from '../submit/choices.ts'

/** Size of a base in its name, billions of parameters; 3 where it has none (the specification's cloud quote). */
function sizeInName(name: string | undefined): number {
  const [, size] = /(\d+(?:\.\d+)?)b\b/i.exec(name ?? '') ?? []
  return size === undefined ? 3 : Number(size)
}

/**
 * Finds the base of a quote. Without rows a base need not be installed: its size is read from its name. Throws
 * `unknown_base_model`, `invalid_model` and `unsupported_architecture`.
 */
export async function quotedBase(
  name: string | undefined,
  folders: readonly string[],
  hasRows: boolean,
): Promise<QuotedBase> {
  if (!hasRows) return { parametersB: sizeInName(name), folder: null }
  return await readQuotedBase(await findKnown(name ?? NO_BASE, folders))
}
