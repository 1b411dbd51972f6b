import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { ExportedCapture } from './export-row.ts'
import { EXPORT_COLUMNS, type ExportColumn } from './columns.ts'

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const ELEMENTS: Readonly<Record<ExportColumn['type'], Omit<Element, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  count: { type: 'INT64', repetition_type: 'OPTIONAL' },
  number: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  boolean: { type: 'BOOLEAN', repetition_type: 'OPTIONAL' },
}

/** Writes captures as one Parquet file, in pieces: a group of rows for each batch, compressed with Snappy. */
export interface ParquetExport {
  /** Returns the bytes of the next group of rows. */
  batch(captures: readonly ExportedCapture[]): Uint8Array
  /** Returns the end of the file, with facts about it under their names. */
  end(facts: Readonly<Record<string, string>>): Uint8Array
}

/** Begins a file. Only the places of its groups stay in memory. */
export function openParquet(): ParquetExport {
  const bytes = new ByteWriter()
  const file = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'captures', num_children: EXPORT_COLUMNS.length },
      ...EXPORT_COLUMNS.map(({ name, type }) => ({ name, ...ELEMENTS[type] })),
    ],
    statistics: false,
    createdBy: 'svc',
  })
  const take = (): Uint8Array => {
    const taken = bytes.getBytes().slice()
    bytes.index = 0
    return taken
  }
  return {
    batch(captures) {
      const columnData = EXPORT_COLUMNS.map(({ name, type, valueOf }) => ({
        name,
        data: captures.map((capture) => {
          const value = valueOf(capture)
          return type === 'count' && typeof value === 'number' ? BigInt(value) : value
        }),
        offsetIndex: false,
      }))
      // Nothing is flushed by the writer, so that this returns no promise.
      void file.write({ columnData, rowGroupSize: captures.length })
      return take()
    },
    end(facts) {
      file.kvMetadata = Object.entries(facts).map(([key, value]) => ({ key, value }))
      void file.finish()
      return take()
    },
  }
}
