import { ProtobufWriter } from './protobuf-writer.ts'
import type { Attribute, DType, Initializer, Operation, Value } from './value.ts'

/** Domain of ONNX Runtime's own operators (FusedMatMul, RotaryEmbedding, QuickGelu). */
export const MICROSOFT_DOMAIN = 'com.microsoft'
/** Domain of ONNX's operators for trees and other classical models. */
export const ML_DOMAIN = 'ai.onnx.ml'

const IR_VERSION = 10
const OPSET_VERSION = 21
const MICROSOFT_OPSET_VERSION = 1
const ML_OPSET_VERSION = 5

/** `TensorProto.DataType` of the ONNX specification. */
export const DATA_TYPES: Readonly<Record<DType, number>> = {
  float32: 1,
  uint8: 2,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
}

const ATTRIBUTE_TYPES = { float: 1, int: 2, string: 3, tensor: 4, ints: 7 } as const
const EXTERNAL_DATA = 1

export interface OnnxGraph {
  readonly name: string
  readonly nodes: readonly Operation[]
  readonly initializers: readonly Initializer[]
  readonly inputs: readonly Value[]
  readonly outputs: readonly Value[]
}

function writeAttribute(writer: ProtobufWriter, name: string, attribute: Attribute): void {
  writer.string(1, name)
  if ('float' in attribute) {
    writer.float(2, attribute.float)
    writer.integer(20, ATTRIBUTE_TYPES.float)
  } else if ('int' in attribute) {
    writer.integer(3, attribute.int)
    writer.integer(20, ATTRIBUTE_TYPES.int)
  } else if ('string' in attribute) {
    writer.string(4, attribute.string)
    writer.integer(20, ATTRIBUTE_TYPES.string)
  } else if ('tensor' in attribute) {
    const { dtype, length, data } = attribute.tensor
    writer.message(5, (tensor) => {
      tensor.integer(1, length)
      tensor.integer(2, DATA_TYPES[dtype])
      tensor.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    })
    writer.integer(20, ATTRIBUTE_TYPES.tensor)
  } else {
    for (const item of attribute.ints) writer.integer(8, item)
    writer.integer(20, ATTRIBUTE_TYPES.ints)
  }
}

function writeNode(writer: ProtobufWriter, node: Operation, name: string): void {
  for (const input of node.inputs) writer.string(1, input?.name ?? '')
  for (const output of node.outputs) writer.string(2, output.name)
  writer.string(3, name)
  writer.string(4, node.type)
  for (const [key, attribute] of Object.entries(node.attributes)) {
    writer.message(5, (inner) => writeAttribute(inner, key, attribute))
  }
  if (node.domain !== '') writer.string(7, node.domain)
}

function writeInitializer(writer: ProtobufWriter, { value, data }: Initializer): void {
  for (const dim of value.shape) {
    if (typeof dim === 'string') throw new Error(`Constant ${value.name} has a symbolic dimension ${dim}`)
    writer.integer(1, dim)
  }
  writer.integer(2, DATA_TYPES[value.dtype])
  writer.string(8, value.name)
  if ('bytes' in data) {
    writer.bytes(9, data.bytes)
    return
  }
  const entries = { location: data.location, offset: String(data.offset), length: String(data.length) }
  for (const [key, text] of Object.entries(entries)) {
    writer.message(13, (entry) => {
      entry.string(1, key)
      entry.string(2, text)
    })
  }
  writer.integer(14, EXTERNAL_DATA)
}

function writeValueInfo(writer: ProtobufWriter, value: Value): void {
  writer.string(1, value.name)
  writer.message(2, (type) => {
    type.message(1, (tensor) => {
      tensor.integer(1, DATA_TYPES[value.dtype])
      tensor.message(2, (shape) => {
        for (const dim of value.shape) {
          shape.message(1, (entry) => {
            if (typeof dim === 'string') entry.string(2, dim)
            else entry.integer(1, dim)
          })
        }
      })
    })
  })
}

/** Serialises a graph as an ONNX `ModelProto` (onnx.proto of ONNX 1.16, IR version 10, opset 21). */
export function writeOnnxModel(graph: OnnxGraph): Uint8Array {
  const model = new ProtobufWriter()
  model.integer(1, IR_VERSION)
  model.string(2, 'svc')
  model.message(7, (writer) => {
    for (const [index, node] of graph.nodes.entries()) {
      writer.message(1, (inner) => writeNode(inner, node, `${node.type}_${index}`))
    }
    writer.string(2, graph.name)
    for (const initializer of graph.initializers) writer.message(5, (inner) => writeInitializer(inner, initializer))
    for (const input of graph.inputs) writer.message(11, (inner) => writeValueInfo(inner, input))
    for (const output of graph.outputs) writer.message(12, (inner) => writeValueInfo(inner, output))
  })
  for (const [domain, version] of [
    ['', OPSET_VERSION],
    [MICROSOFT_DOMAIN, MICROSOFT_OPSET_VERSION],
    [ML_DOMAIN, ML_OPSET_VERSION],
  ] as const) {
    if (domain === ML_DOMAIN && !graph.nodes.some((node) => node.domain === ML_DOMAIN)) continue
    model.message(8, (inner) => {
      inner.string(1, domain)
      inner.integer(2, version)
    })
  }
  return model.toBytes()
}
