import { CHECKS } from '../kernel/guard/public-limits.ts'
import { trustKeys, toJwk } from '../../core/ledger/keys/jwk.ts'
import { verifyReceipt } from '../../core/ledger/receipts/verify-receipt.ts'
import { receiptError } from '../../core/ledger/receipts/verification.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { VerifyReceiptAnswer, VerifyReceiptBody } from '../../core/ledger/wire/receipts.ts'
import { defineRoute } from './services.ts'

export const verifyReceiptRoute = defineRoute({
  method: 'post',
  path: '/v1/receipts/verify',
  limit: CHECKS,
  operationId: 'verifyReceipt',
  group: 'receipts',
  summary: 'Verify a receipt',
  description:
    'Takes run receipts (spec rs-1), those of verified inference and of compositions (spec rs-1 with `primitive`), receipts of batches (spec rb-1) and of gates (spec svc-gate-1), build receipts, and drive-by claims. Of the first three `input` and `output` are compared too when they are given; the input of verified inference is `{messages, system}`, its output the text.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  bodyLimit: 'json_body_bytes',
  partsLimit: 'json_parts',
  body: VerifyReceiptBody,
  fieldCodes: { receipt: 'malformed_receipt' },
  answers: {
    200: envelope('The receipt is genuine', VerifyReceiptAnswer),
  },
  errors: ['malformed_receipt', 'unknown_receipt_key', 'signature_mismatch', 'receipt_secret_rotated'],
}).handle(async ({ services, body }) => {
  const verdict = await verifyReceipt(body.receipt, {
    findSecret: async (keyId) => await services.receiptSecrets.find(keyId),
    keys: trustKeys(services.signingKeys.all.map(({ publicKey }) => toJwk(publicKey))),
    findBuildReceipt: services.ports.findBuildReceipt,
    ...(body.input !== undefined && { input: body.input }),
    ...(body.output !== undefined && { output: body.output }),
  })
  if (!verdict.verified || verdict.kind === null) throw receiptError(verdict)
  return {
    status: 200,
    body: {
      verified: true,
      kind: verdict.kind,
      reasons: [...verdict.reasons],
      checks: { ...verdict.checks },
      ...(verdict.mode !== undefined && { mode: verdict.mode }),
    },
  }
})
