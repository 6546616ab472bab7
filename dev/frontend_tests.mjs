// What each of the frontend's tests says, as JSON: `{file: {'group > title': {texts, names}}}`.
//
// As `python_tests.py` reads Python's: the literals in a test, in the `beforeEach` around it, and in what these use by
// name; of other files, only functions made for tests are read. The argument is the folder of the project.
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(process.argv[2]);
const source = join(root, 'frontend', 'src');
const testing = join(source, 'testing');
const modules = new Map();

function fileOf(specifier, importer) {
  const base = specifier.startsWith('@/')
    ? join(source, specifier.slice(2))
    : resolve(dirname(importer), specifier);
  return [`${base}.ts`, `${base}.tsx`].find(
    (file) => file.startsWith(testing) && ts.sys.fileExists(file),
  );
}

function moduleOf(file) {
  if (!modules.has(file)) modules.set(file, readModule(file));
  return modules.get(file);
}

/** What a block of statements defines, by name. */
function definitionsIn(statements) {
  const named = (one) => [one.name.getText(), one];
  return statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(named);
    const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
    return isNamed ? [named(statement)] : [];
  });
}

/** The functions that a file takes from those made for tests: of which file, under which name. */
function importsIn(statements, file) {
  return statements.filter(ts.isImportDeclaration).flatMap((statement) => {
    const from = fileOf(statement.moduleSpecifier.text, file);
    const named = statement.importClause?.namedBindings;
    if (!from || !named || !ts.isNamedImports(named)) return [];
    return named.elements.map((one) => [
      one.name.text,
      [from, (one.propertyName ?? one.name).text],
    ]);
  });
}

function readModule(file) {
  const { statements } = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  return {
    statements,
    definitions: new Map(definitionsIn(statements)),
    imports: new Map(importsIn(statements, file)),
  };
}

function definitionOf(name, home) {
  if (home.definitions.has(name)) return [home, home.definitions.get(name)];
  const [file, original] = home.imports.get(name) ?? [];
  const definition = file && moduleOf(file).definitions.get(original);
  return definition && ts.isFunctionDeclaration(definition) ? [moduleOf(file), definition] : null;
}

function joined(template) {
  return (
    template.head.text + template.templateSpans.map((span) => `{}${span.literal.text}`).join('')
  );
}

function textOf(node) {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (ts.isNumericLiteral(node)) return String(Number(node.text.replaceAll('_', '')));
  if (ts.isTemplateExpression(node)) return joined(node);
  if (ts.isRegularExpressionLiteral(node)) return node.text.replaceAll('\\', '');
  return null;
}

function saidIn(home, nodes) {
  const texts = new Set();
  const names = new Set();
  const seen = new Set();
  const pending = nodes.map((node) => [home, node]);
  while (pending.length > 0) {
    const [where, definition] = pending.pop();
    if (seen.has(definition)) continue;
    seen.add(definition);
    const read = (node) => {
      const text = textOf(node);
      if (text !== null) texts.add(text);
      if (ts.isIdentifier(node)) {
        names.add(node.text);
        const found = definitionOf(node.text, where);
        if (found) pending.push(found);
      }
      ts.forEachChild(node, read);
    };
    read(definition);
  }
  return { texts: [...texts], names: [...names] };
}

/** The name of the function that a call is of, through `.each(…)` and `.only`, or null. */
function called(node) {
  if (ts.isCallExpression(node)) return called(node.expression);
  if (ts.isPropertyAccessExpression(node)) return called(node.expression);
  return ts.isIdentifier(node) ? node.text : null;
}

/** Whether a test or a group is not left out: `it.skip`, `describe.todo`. */
function runs(call) {
  return !/\.(skip|todo)\b/.test(call.expression.getText());
}

function testsOf(file) {
  const found = {};
  const visit = (statements, home, titles, around) => {
    const calls = statements.filter(ts.isExpressionStatement).map((one) => one.expression);
    const inside = [...around, ...calls.filter((call) => called(call) === 'beforeEach')];
    for (const call of calls.filter(ts.isCallExpression).filter(runs)) {
      const [title, ...rest] = call.arguments;
      const body = rest.find((one) => ts.isArrowFunction(one))?.body;
      if (called(call) === 'describe') {
        const own = definitionsIn([...body.statements]);
        const scope = { ...home, definitions: new Map([...home.definitions, ...own]) };
        visit(body.statements, scope, [...titles, title.text], [...inside, call.expression]);
      } else if (['it', 'test'].includes(called(call))) {
        found[[...titles, title.text].join(' > ')] = saidIn(home, [
          call.expression,
          ...rest,
          ...inside,
        ]);
      }
    }
  };
  visit(moduleOf(file).statements, moduleOf(file), [], []);
  return found;
}

const files = ts.sys
  .readDirectory(source, ['.ts', '.tsx'])
  .filter((file) => /\.test\.tsx?$/.test(file));
const said = files.map((file) => [relative(root, file).replaceAll('\\', '/'), testsOf(file)]);
process.stdout.write(JSON.stringify(Object.fromEntries(said)));
