import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { readLines } from '../../../core/compile/rows/intake/byte-lines.ts'
import { leafOfCells, leafOfLine } from '../../../core/compile/runtime/batch/render-rows.ts'
import { recordsOfText } from '../../../core/compile/rows/table/text/records.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { JwkSet, trustKeys, type PublicJwk } from '../../../core/ledger/keys/jwk.ts'
import { MerkleFrontier, NODE_BYTES } from '../../../core/ledger/merkle/frontier.ts'
import { proveInclusion, rootOfProof } from '../../../core/ledger/merkle/inclusion.ts'
import { BatchReceipt } from '../../../core/ledger/receipts/batch-receipt.ts'
import { verifyReceiptOffline } from '../../../core/ledger/receipts/verify-receipt.ts'
import { CliError, usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'

/** Options of `svc receipt`. */
export interface ReceiptFlags {
  readonly receipt?: string
  /** From 1. */
  readonly row?: number
  readonly jwks?: string
}

/** Longest row and most columns of an output file that are read. */
const BOUNDS = { columns: 512, chars: 64 * 1024 * 1024 }
const HEAD_BYTES = 1024 * 1024

/**
 * `svc receipt`: verifies the signature of a batch's receipt by pinned keys and its root by the rows of the output file.
 * Answers 0 when both hold, 3 when the rows match and no key is pinned, and 1 otherwise.
 */
export async function verifyRows(context: CliContext, file: string, flags: ReceiptFlags): Promise<number> {
  const receipt = await readReceipt(flags.receipt ?? `${file}.receipt.json`)
  const leaves = await readLeaves(file, receipt)
  const size = leaves.length / NODE_BYTES
  const tree = new MerkleFrontier()
  for (let row = 0; row < size; row++) tree.append(leafAt(leaves, row))
  const root = tree.root()
  const keys = flags.jwks === undefined ? (await context.profile()).pinned_keys : await readJwks(flags.jwks)
  const isSigned = verifyReceiptOffline(receipt, trustKeys(keys)).verified
  const isSame = root === receipt.root_hash && size === receipt.rows
  const proof = flags.row === undefined ? undefined : proofOf(leaves, flags.row)
  const isProven = proof === undefined || proof.root === receipt.root_hash
  const signature = isSigned ? 'trusted' : keys.length === 0 ? 'unknown_signer' : 'refused'
  const report = { ok: isSame && isProven && signature !== 'refused', signature, rows: size, root_hash: root, proof }
  context.output.result(report, () =>
    [
      isSame
        ? `the ${size} rows of ${file} are those of the receipt`
        : `the rows of ${file} are not those of the receipt: ${size} rows with the root ${root}; the receipt has ${receipt.rows} with ${receipt.root_hash}`,
      isSigned ? 'signed by a pinned key' : `the signature is not verified (${signature}): svc login pins keys`,
      ...(proof === undefined ? [] : [`row ${proof.row}: leaf ${proof.leaf}, proof`, ...proof.path]),
    ].join('\n'),
  )
  if (!report.ok) return EXIT.failed
  return isSigned ? EXIT.ok : EXIT.unknownSigner
}

function proofOf(leaves: Uint8Array, row: number) {
  const size = leaves.length / NODE_BYTES
  if (row > size) throw usageError(`--row: the file has ${size} rows`)
  const path = proveInclusion(leaves, row - 1)
  const leaf = leafAt(leaves, row - 1)
  return {
    row,
    size,
    leaf: hex(leaf),
    path: path.map(hex),
    root: rootOfProof(leaf, { index: row - 1, size }, path),
  }
}

async function readLeaves(file: string, { format, rows }: BatchReceipt): Promise<Uint8Array> {
  const leaves = new Uint8Array((rows + 1) * NODE_BYTES)
  let count = 0
  const source = format === 'csv' ? leavesOfCsv(file) : leavesOfLines(file)
  for await (const leaf of source) {
    // One row too many is enough to differ.
    if (count > rows) break
    leaves.set(leaf, count++ * NODE_BYTES)
  }
  return leaves.subarray(0, count * NODE_BYTES)
}

async function* leavesOfLines(file: string): AsyncGenerator<Uint8Array> {
  for await (const { number, bytes } of readLines(createReadStream(file), BOUNDS.chars)) {
    const value = parseJson(Buffer.from(bytes).toString('utf8'), `${file}, line ${number},`)
    if (!isJsonObject(value)) throw usageError(`${file}, line ${number}, is no row`)
    yield leafOfLine(value)
  }
}

async function* leavesOfCsv(file: string): AsyncGenerator<Uint8Array> {
  const delimiter = await delimiterOf(file)
  let isHeader = true
  for await (const { cells } of recordsOfText(textOf(file), delimiter, BOUNDS)) {
    if (!isHeader) yield leafOfCells(cells)
    isHeader = false
  }
}

/** The text of a file without its byte order mark, which downloads of the console have for spreadsheets. */
async function* textOf(file: string): AsyncGenerator<string> {
  let isFirst = true
  for await (const piece of createReadStream(file, 'utf8')) {
    yield isFirst ? String(piece).replace(/^\ufeff/, '') : String(piece)
    isFirst = false
  }
}

/** The header ends with columns of ours, whose names hold no delimiter. */
async function delimiterOf(file: string): Promise<string> {
  for await (const head of createReadStream(file, { encoding: 'utf8', highWaterMark: HEAD_BYTES })) {
    const [, delimiter] = /error_code(.)(?:svc_)*error/.exec(String(head)) ?? []
    if (delimiter !== undefined) return delimiter
    break
  }
  throw usageError(`${file} is not an output of svc run --csv: its header lacks the column error_code`)
}

async function readReceipt(path: string): Promise<BatchReceipt & Readonly<Record<string, Json>>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw usageError(`cannot read the receipt ${path}; name it with --receipt`, error)
  })
  const { data } = BatchReceipt.safeParse(parseJson(text, path))
  if (data === undefined) throw new CliError(`${path} is not a receipt of a batch`, { code: 'malformed_receipt' })
  return data
}

async function readJwks(path: string): Promise<readonly PublicJwk[]> {
  return JwkSet.parse(parseJson(await readFile(path, 'utf8'), path)).keys
}

function parseJson(text: string, place: string): Json {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch (error) {
    throw usageError(`${place} is not JSON: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

function leafAt(leaves: Uint8Array, row: number): Uint8Array {
  return leaves.subarray(row * NODE_BYTES, (row + 1) * NODE_BYTES)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
