import { macText, sameMac } from '../../../kernel/json/mac.ts'
import type { FindSecret } from '../../../ledger/keys/secret-lookup.ts'
import { buildReceiptMac } from '../../../ledger/receipts/build-receipt.ts'
import { checkChainMacs } from '../../../ledger/receipts/chain.ts'
import { canonicalJson } from '../../../kernel/json/json.ts'
import type { UnpackedArchive } from '../unpack.ts'
import { demand } from './demand.ts'

/** The HMACs of signature.sig, of the receipt and of every link are right under the secret that the documents name. */
export async function checkMacs({ signature, receipt }: UnpackedArchive, findSecret: FindSecret): Promise<string> {
  const found = await findSecret(signature.key_id)
  demand(found.state === 'live', `the secret ${signature.key_id} is ${found.state}`)
  const { hmac, signature_ed25519: _block, ...body } = signature
  demand(sameMac(macText(canonicalJson(body), found.secret), hmac), 'the HMAC of signature.sig is wrong')
  demand(sameMac(buildReceiptMac(receipt, found.secret), receipt.signature), 'the HMAC of the receipt is wrong')
  const links = checkChainMacs(receipt.chain, receipt.receipt_id, found.secret)
  demand(links.length === 0, links.join(', '))
  return `HMAC-SHA256 with ${signature.key_id}`
}
