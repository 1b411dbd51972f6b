import { basename } from 'node:path'
import { openAsBlob } from 'node:fs'
import { EvalView } from '../../../core/learn/wire/evals/evals.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { describeEval } from './evals.ts'

/** Options of `svc eval import`. */
export interface EvalImportFlags {
  readonly name?: string
  readonly namespace?: string
}

/** `svc eval import`. */
export async function importEval(context: CliContext, files: readonly string[], flags: EvalImportFlags): Promise<void> {
  const body = async (): Promise<FormData> => {
    const form = new FormData()
    form.append('spec', JSON.stringify({ name: flags.name, namespace: flags.namespace }))
    for (const file of files) form.append('file', await openFile(file), basename(file))
    return form
  }
  const client = await context.client()
  const view = await client.call('/v1/evals/import', EvalView, { method: 'POST', body })
  context.output.result(view, () => describeEval(view))
}

async function openFile(file: string): Promise<Blob> {
  try {
    return await openAsBlob(file)
  } catch (error) {
    throw usageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}
