/** Element types of graph values, by their ONNX names. */
export type DType = 'float32' | 'float64' | 'float16' | 'int64' | 'int32' | 'uint8' | 'bool'

/** An extent: a number, or the name of a dimension known only when the graph runs (inference graphs only). */
export type Dim = number | string

export type Shape = readonly Dim[]

/** A tensor that the graph computes or receives. Values are compared by identity. */
export interface Value {
  readonly name: string
  readonly dtype: DType
  readonly shape: Shape
}

/** A node attribute; ONNX distinguishes integers from floats, JavaScript does not. */
export type Attribute =
  | { readonly int: number }
  | { readonly float: number }
  | { readonly ints: readonly number[] }
  | { readonly string: string }
  /** A vector; `data` holds its raw little-endian elements. */
  | { readonly tensor: { readonly dtype: DType; readonly length: number; readonly data: ArrayBufferView } }

export type Attributes = Readonly<Record<string, Attribute>>

/** One node of the graph, or one composite that replaces several nodes when the graph is differentiated. */
export interface Operation {
  readonly type: string
  readonly domain: string
  /** `null` is an omitted optional input. */
  readonly inputs: readonly (Value | null)[]
  readonly outputs: readonly Value[]
  readonly attributes: Attributes
}

/** Bytes of a constant: inside the model, or in a file beside it (ONNX external data). */
export type InitializerData =
  | { readonly bytes: Uint8Array }
  | { readonly location: string; readonly offset: number; readonly length: number }

export interface Initializer {
  readonly value: Value
  readonly data: InitializerData
}
