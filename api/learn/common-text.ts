import { templateText } from '../../core/gateway/captures/template.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import { templateSource } from '../../db/learn/traffic/read-examples.ts'

/** Characters of a task that is made of a template. */
const TASK_CHARS = 400

/** Returns what the calls of a template have in common, which quotes no single call; its signature where that is nothing. */
export async function commonText(op: Operation, namespace: string, signature: string): Promise<string> {
  const source = await templateSource(op, { namespace, signature })
  const text = source === null ? '' : (templateText(source) ?? '')
  return text.trim().replaceAll('\n', ' ').slice(0, TASK_CHARS).toWellFormed() || signature
}
