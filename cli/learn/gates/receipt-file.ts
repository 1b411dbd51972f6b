import { verifyAnswer } from '../../compile/verify/answer-receipt.ts'
import type { CliContext } from '../../context.ts'
import { verifyGate } from './gate-receipt.ts'

/**
 * `svc verify` and `svc receipt` of a file with one receipt: of a gate, or of a verified answer. Returns null for a file of
 * another kind, else the exit code.
 */
export async function verifyReceiptFile(
  context: CliContext,
  file: string,
  options: { readonly jwks?: string },
): Promise<number | null> {
  return (await verifyGate(context, file, options)) ?? (await verifyAnswer(context, file, options))
}
