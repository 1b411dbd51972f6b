import { openOfflineGenerator } from '../../../core/model/generation/offline-generator.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { openModelFolders } from './model-folders.ts'
import type { LogProbsFlags } from './model-flags.ts'

/**
 * `svc model logprobs`: the natural logarithm of the probability of each token of a text after those before it. The
 * first token has none.
 */
export async function showLogProbs(context: CliContext, flags: LogProbsFlags): Promise<void> {
  const { base, adapter } = await openModelFolders(flags)
  const { model, tokenizer } = base
  const ids = tokenizer.encode(flags.text, { addSpecial: true })
  if (ids.length === 0) throw usageError('--text has no tokens')
  const generator = openOfflineGenerator(model, tokenizer)
  const logProbs = await generator.logProbs({ ids, adapter })
  await generator.close()
  const tokens = ids.map((id, index) => ({
    token: tokenizer.decode([id], { keepSpecial: true }),
    id,
    logprob: logProbs[index] ?? null,
  }))
  const sum = tokens.reduce((total, { logprob }) => total + (logprob ?? 0), 0)
  const perplexity = ids.length > 1 ? Math.exp(-sum / (ids.length - 1)) : null
  context.output.result({ tokens, sum, perplexity }, () =>
    [
      ...tokens.map(
        ({ token, id, logprob }) =>
          `${logprob === null ? '-'.padStart(10) : logprob.toFixed(5).padStart(10)}  ${String(id).padStart(7)}  ${JSON.stringify(token)}`,
      ),
      `${sum.toFixed(5).padStart(10)}  in all${perplexity === null ? '' : `, perplexity ${perplexity.toFixed(3)}`}`,
    ].join('\n'),
  )
}
