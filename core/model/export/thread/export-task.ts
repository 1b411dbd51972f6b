import { DomainError, ERROR_CODES, type ErrorCode } from '../../../errors.ts'
import type { ExportOrigin } from '../export-model.ts'
import type { ExportChoice } from '../targets.ts'

/** What the thread is given. */
export interface ExportTask {
  /** Folder of the base. */
  readonly directory: string
  /** The files of the adapter by PEFT's names. */
  readonly adapterFiles: ReadonlyMap<string, Uint8Array>
  readonly origin: ExportOrigin
  readonly choice: ExportChoice
}

/** What the thread says. It sends a piece only for a credit, so that no more pieces wait than were asked for. */
export type ExportMessage =
  | { readonly type: 'begin'; readonly fileName: string; readonly mediaType: string }
  | { readonly type: 'piece'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly code: ErrorCode; readonly message: string }

/** An error of the thread as a message. */
export function packError(error: unknown): ExportMessage {
  if (error instanceof DomainError) return { type: 'error', code: error.code, message: error.message }
  return {
    type: 'error',
    code: 'internal',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }
}

/** The error that a message stands for. */
export function unpackError(message: { readonly code: string; readonly message: string }): Error {
  return isErrorCode(message.code) ? new DomainError(message.code, message.message) : new Error(message.message)
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code)
}
