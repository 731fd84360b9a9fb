// A model of one node, as ONNX's protocol buffers have it: the field numbers are those of onnx.proto.
const varint = (n) => {
  const bytes = [];
  for (n = BigInt.asUintN(64, BigInt(n)); n >= 128n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
  return Buffer.from([...bytes, Number(n)]);
};
const number = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const real = (field, x) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(x);
  return Buffer.concat([varint((field << 3) | 5), bytes]);
};
const bytes = (field, content) => {
  const all = Array.isArray(content) ? Buffer.concat(content) : Buffer.from(content);
  return Buffer.concat([varint((field << 3) | 2), varint(all.length), all]);
};

const attribute = ([name, value, kind]) =>
  bytes(5, [bytes(1, name), kind === 'float' ? real(2, value) : number(3, value), number(20, kind === 'float' ? 1 : 2)]);
const f32 = 1;  // TensorProto.DataType
const described = (field, name, shape) =>
  bytes(field, [bytes(1, name), bytes(2, [bytes(1, [number(1, f32),
                                                   bytes(2, shape.map((extent) => bytes(1, [number(1, extent)])))])])]);

// inputs: [name, shape] or null where one is left out; attributes: [name, value, 'float' or 'int'].
export const modelOf = (operator, domain, version, inputs, output, attributes) => {
  const node = bytes(1, [...inputs.map((input) => bytes(1, input === null ? '' : input[0])), bytes(2, output[0]),
                         bytes(3, 'node'), bytes(4, operator), ...attributes.map(attribute), bytes(7, domain)]);
  const graph = bytes(7, [node, bytes(2, 'graph'), ...inputs.filter(Boolean).map((input) => described(11, ...input)),
                          described(12, ...output)]);
  const imports = [[domain, version], ...(domain === '' ? [] : [['', 21]])];
  return Buffer.concat([number(1, 9), graph,
                        ...imports.map(([name, of]) => bytes(8, [bytes(1, name), number(2, of)]))]);
};
