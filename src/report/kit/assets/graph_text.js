// Reads the text of a graph: its lines as tokens, its values with their definition and uses, and the line of
// the user's code that each line comes from.
'use strict';
tlparse.graphText = (() => {
  const STRING = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/;
  const COMMENT = /(#.*$)/;
  const NAME = /([A-Za-z_]\w*)/;
  const NUMBER = /(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?\w*)/;
  const OTHER = /(\s+|.)/;
  const TOKEN = new RegExp([STRING, COMMENT, NAME, NUMBER, OTHER].map(part => part.source).join('|'), 'g');
  const KEYWORD = /^(?:class|def|return|import|from|as|with|for|in|if|else|not|and|or|is|lambda|del|pass)$/;
  const CONSTANT = /^(?:None|True|False)$/;
  // What stands before a name that is defined for itself.
  const DEFINES = /^(?:def|class)$/;

  // `# File: /home/me/model.py:12 in forward, code: x = x + 1`: where the lines below it come from.
  const SOURCE_COMMENT = /^\s*# File: (.+?):(\d+) in (.+?)(?:, code: (.*))?$/;
  // Lines that end the reach of such a comment.
  const ENDS_SOURCE = /^\s*(?:class |return\b|# No stacktrace)/;

  const FUNCTION = /^\s*(?:async )?def /;
  const RETURN = /^\s*return\b/;
  // The end of a function's head: `):`, or `) -> "f32[4]":`.
  const HEAD_END = /\)[^"]*:\s*$/;
  const HEAD_START = /^\s*def \w+\(/;
  // A parameter of a function: its name and its type, if that stands in quotes.
  const PARAMETER = /(?:^|[,(])\s*([A-Za-z_]\w*)\s*(?::\s*"([^"]*)")?(?=\s*[,)=]|$)/g;
  // What a line defines: `mul: "f32[4]" = ..`, `a, b = ..`, `%mul : [num_users=1] = ..`. Its name and its
  // type.
  const DEFINITION =
    /^\s*%?([A-Za-z_]\w*)\s*(?::\s*"([^"]*)"\s*(?=[=#]|$)|(?=(?:,\s*\w+\s*)*,?\s*=[^=])|:\s(?=\[))/;
  // A parameter under a further name, with which graphs of Dynamo begin: `l_x_ = L_x_`.
  const RENAMED = /^\s*\w+ = \w+\s*$/;
  // The further names of `a, b = ..`.
  const FURTHER_NAMES = /^\s*\w+((?:,\s*\w+)+),?\s*=/;
  // `;  a = b = None` at the end of a line: there values are freed.
  const FREED = /;\s+(?:\w+ = )+None\s*$/;
  // What follows the name of a keyword argument.
  const EQUALS_SIGN = /^\s*=[^=]/;

  // Classes of tokens: those of code.css, as src/report/kit/highlight.rs gives them.
  const KEYWORD_CLASS = 'k';
  const STRING_CLASS = 's';
  const COMMENT_CLASS = 'c';
  const NUMBER_CLASS = 'n';
  const DEFINED_CLASS = 'd';

  function withoutComment(line) {
    return line.replace(/#.*/, '');
  }

  // ---- First pass: definitions, and lines of the user's code ----

  // Reads a graph line by line. Afterwards, `lines` has the text of each line, the number of the `def` it
  // stands in, whether it belongs to the output, and whether it only names parameters; `values` and `sources` are as `parse` gives them.
  class Reader {
    constructor() {
      this.lines = [];
      this.values = new Map();
      this.sources = new Map();
      // Where the reader is: the line of the last `def`, whether its head is still going on, whether its
      // output has begun, and the place in the user's code that the lines come from.
      this.scope = 0;
      this.isInHead = false;
      this.isOutput = false;
      this.place = null;
    }

    read(text, number) {
      const isParameter = this.isInHead || RENAMED.test(text);
      if (FUNCTION.test(text)) this.enterFunction(number);
      const comment = SOURCE_COMMENT.exec(text);
      if (comment) this.enterSource(comment);
      else if (ENDS_SOURCE.test(text)) this.place = null;
      if (RETURN.test(text)) this.isOutput = true;
      if (this.place && text.trim()) this.sources.get(this.place).lines.push(number);
      if (this.isInHead) this.readHead(text, number);
      else if (!comment && !this.isOutput) this.readDefinition(text, number);
      const source = comment ? this.place : null;
      this.lines.push({ text, scope: this.scope, isOutput: this.isOutput, isParameter, source });
    }

    enterFunction(number) {
      this.scope = number;
      this.isInHead = true;
      this.isOutput = false;
      this.place = null;
    }

    enterSource([, file, lineNumber, functionName, code]) {
      this.place = `${file}:${lineNumber}`;
      if (this.sources.has(this.place)) return;
      this.sources.set(this.place, { place: this.place, code, functionName, lines: [] });
    }

    readHead(text, number) {
      const parameters = withoutComment(text.replace(HEAD_START, '')).matchAll(PARAMETER);
      for (const [, name, type] of parameters) {
        if (name !== 'self') this.define(name, number, type);
      }
      if (HEAD_END.test(withoutComment(text))) this.isInHead = false;
    }

    readDefinition(text, number) {
      const found = DEFINITION.exec(text);
      if (!found || found[1] === 'return') return;
      this.define(found[1], number, found[2]);
      const further = FURTHER_NAMES.exec(text);
      if (!further) return;
      for (const [name] of further[1].matchAll(/\w+/g)) this.define(name, number);
    }

    // The first definition of a name in a function counts.
    define(name, line, type) {
      const key = valueKey(this.scope, name);
      if (!this.values.has(key)) this.values.set(key, { name, line, type, uses: [], freed: [] });
    }
  }

  // A name means one value within a `def`; a graph may hold further graphs below itself.
  function valueKey(scope, name) {
    return `${scope} ${name}`;
  }

  // ---- Second pass: tokens, and where values are used ----

  // The class of a token that is no value; `last` is the one before it.
  function classOf([, string, comment, name, numeral], last) {
    if (string) return STRING_CLASS;
    if (comment) return COMMENT_CLASS;
    if (numeral || CONSTANT.test(name)) return NUMBER_CLASS;
    if (name && DEFINES.test(last)) return DEFINED_CLASS;
    return name && KEYWORD.test(name) ? KEYWORD_CLASS : '';
  }

  // The last token that counts, after one more; `class <lambda>` defines a name too.
  function lastAfter(text, last) {
    const isSkipped = text.trim() === '' || (text === '<' && DEFINES.test(last));
    return isSkipped ? last : text;
  }

  // The tokens of a line without regard to values: {text, className}.
  function highlight(line) {
    let last = '';
    return [...line.matchAll(TOKEN)].map(found => {
      const [text] = found;
      const className = classOf(found, last);
      last = lastAfter(text, last);
      return { text, className };
    });
  }

  // The tokens of a line: {text, className, value}. Notes at each value that the line uses or frees it.
  function readTokens(line, number, values) {
    // A comment that names a line of the user's code is shown as one button.
    if (line.source) return [];
    const freedFrom = FREED.exec(line.text)?.index ?? line.text.length;
    const tokens = [];
    // How many brackets are open, and the last token that is no space.
    let depth = 0;
    let last = '';
    for (const found of line.text.matchAll(TOKEN)) {
      const [text, , , name] = found;
      const isFreed = found.index >= freedFrom;
      const isAttribute = last === '.';
      let value = null;
      if (name && !isAttribute) value = values.get(valueKey(line.scope, name)) || null;
      // `f(name = ..)` names an argument.
      const canBeArgument = value && depth > 0 && found.index > 0 && !isFreed;
      if (canBeArgument && EQUALS_SIGN.test(line.text.slice(found.index + text.length))) value = null;
      let className = value ? '' : classOf(found, last);
      if (isFreed) className = COMMENT_CLASS;
      if (value && number !== value.line) noteOnce(isFreed ? value.freed : value.uses, number);
      tokens.push({ text, className, value });
      if ('([{'.includes(text)) depth++;
      if (')]}'.includes(text)) depth--;
      last = lastAfter(text, last);
    }
    return tokens;
  }

  // Adds a line to a list of lines in ascending order.
  function noteOnce(lines, number) {
    if (lines.at(-1) !== number) lines.push(number);
  }

  // Takes a graph apart:
  // - lines: {text, scope, isOutput, isParameter, source, tokens}; `source` is set on comments that name a line of the user's
  //   code
  // - values, in order of definition: {name, line, type, uses, freed}, the last two being lists of lines
  // - sources, by place (`model.py:12`): {place, code, functionName, lines}
  function parse(text) {
    const reader = new Reader();
    text.split('\n').forEach((line, number) => reader.read(line, number));
    const { lines, values, sources } = reader;
    lines.forEach((line, number) => {
      line.tokens = readTokens(line, number, values);
    });
    return { lines, values: [...values.values()], sources };
  }

  // ---- Parts of a line ----

  function isHead(line) {
    return FUNCTION.test(line);
  }

  function isSourceComment(line) {
    return SOURCE_COMMENT.test(line);
  }

  // What a line computes: `aten.mul.Tensor` of `mul = torch.ops.aten.mul.Tensor(..)`, `.view` of `view = x.view(..)`,
  // `+` of `add = x + y`; null if it is no node of the graph, or one that computes nothing, such as `x = L_x_`.
  function operatorIn(line) {
    if (/^\s*(?:#|class |def |return\b)/.test(line)) return null;
    const printed = /= call_(\w+)\[target=([^\]]+)\]/.exec(line);
    if (printed) return printed[1] === 'method' ? `.${printed[2]}` : withoutTorch(printed[2]);
    // `x[0] = y;  setitem = x`
    if (/^\s*\w+\[.*\] = .*;\s+\w*setitem\w* = /.test(line)) return '[] =';
    const definition = /^\s*\w+(?:\s*:\s*"[^"]*")?(?:,\s*\w+)*\s*=\s*(.*)$/.exec(line);
    return definition ? operatorOf(definition[1].replace(FREED, '')) : null;
  }

  // The same of what stands behind the equals sign.
  function operatorOf(expression) {
    const call = /^((?:\w+\.)*\w+)\(/.exec(expression);
    if (call && isFunction(call[1])) return withoutTorch(call[1]);
    if (call) return `.${call[1].split('.').pop()}`;
    // `x[0].view(1)` has a call at its end, `x[0]` and `x.shape[1]` none.
    const binary = /^\(?-?[\w.]+\)? (\/\/|\*\*|<<|>>|[=!<>]=|and|or|is|in|[-+*/%@&|^<>]) /.exec(expression);
    if (binary) return binary[1];
    if (/^[-~]\w/.test(expression)) return expression[0];
    return /^[\w.]+\[.*\]$/.test(expression) ? '[]' : null;
  }

  // Whether the name of a call is that of a function: `torch.relu`, `operator.getitem`, `math_sqrt`. Others call a method
  // of a value.
  function isFunction(name) {
    return !name.includes('.') || /^(?:torch|operator|_operator|math|builtins|self)\./.test(name);
  }

  function withoutTorch(name) {
    return name.replace(/^torch\.(?:ops\.)?/, '');
  }

  // The name that a line gives a value, in a graph of any kind.
  function nameDefinedIn(line) {
    const definition = /^\s*%?(\w+)\s*[:=]/.exec(line);
    return definition ? definition[1] : null;
  }

  // ---- Sizes ----

  const BYTES_PER_ELEMENT = {
    c128: 16,
    f64: 8, i64: 8, u64: 8, c64: 8,
    f32: 4, i32: 4, u32: 4,
    f16: 2, bf16: 2, i16: 2, u16: 2,
    f8e4m3fn: 1, f8e5m2: 1, i8: 1, u8: 1, b8: 1,
  };
  const UNITS = [
    { name: 'GB', bytes: 2 ** 30 },
    { name: 'MB', bytes: 2 ** 20 },
    { name: 'KB', bytes: 2 ** 10 },
    { name: 'bytes', bytes: 1 },
  ];

  // How large a value is: `4 KB` for `f32[16, 64][64, 1]cpu`; an empty string where the type does not say it.
  function sizeOf(type) {
    const [, elementType, shape] = /^(\w+)\[([\d, ]*)\]/.exec(type || '') || [];
    const elementBytes = BYTES_PER_ELEMENT[elementType];
    if (!elementBytes) return '';
    const dimensions = shape.split(',').filter(dimension => dimension.trim() !== '').map(Number);
    const bytes = dimensions.reduce((product, dimension) => product * dimension, elementBytes);
    const unit = UNITS.find(candidate => bytes >= candidate.bytes) || UNITS.at(-1);
    return `${Number((bytes / unit.bytes).toPrecision(3))} ${unit.name}`;
  }

  return { parse, highlight, isHead, isSourceComment, operatorIn, nameDefinedIn, sizeOf };
})();
