"""Checks the documents: links resolve, worked examples are the vectors', nothing names this machine's paths."""

import json
import os
import re
import subprocess
import sys

import worked_example

LINK = re.compile(r'(?<!!)\[[^\]]*\]\(([^)\s]+)\)')
# A path in backquotes with a slash and an ending, or a folder of the project: `docs/protocol.md`, `scripts/test`.
NAMED = re.compile(
    r'`((?:docs|scripts|config|keys|Sources|Tests|Benchmarks|\.ci)/[A-Za-z0-9_./-]*[A-Za-z0-9_/-])`'
)
HOMES = re.compile(r'(?<![A-Za-z0-9_.])/(?:home/[a-z][a-z0-9_-]*|root|Users/[A-Za-z]+)/')


def anchors(path):
    """The anchors that a forge makes of a document's headings."""
    found = set()
    fenced = False
    for line in open(path, encoding='utf-8'):
        if line.startswith('```'):
            fenced = not fenced
        heading = re.match(r'#+\s+(.*)', line)
        if heading and not fenced:
            text = re.sub(r'[`*_]|\[|\]\([^)]*\)', '', heading.group(1).strip().lower())
            found.add(re.sub(r'[^\w\- ]', '', text).replace(' ', '-'))
    return found


def check_document(path):
    folder = os.path.dirname(path)
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        for target in LINK.findall(line):
            if re.match(r'[a-z]+:', target):
                continue
            name, _, anchor = target.partition('#')
            file = os.path.normpath(os.path.join(folder, name)) if name else path
            if not os.path.exists(file):
                yield f'{path}:{number}: {target}: no such file'
            elif anchor and file.endswith('.md') and anchor not in anchors(file):
                yield f'{path}:{number}: {target}: no such heading'
        for name in NAMED.findall(line):
            # What a site or a build makes isn't in the tree.
            if not name.startswith('keys/') and not os.path.exists(name):
                yield f'{path}:{number}: `{name}`: no such file'


def check_example(path):
    """The README's worked example is the vectors' first case: each of its values is one of that case's, or a part."""
    cases = json.load(open('Tests/Vectors/air-protocol-1.json', encoding='utf-8'))['cases']
    known = re.sub(r'[^0-9a-z]', '', json.dumps(cases[0]).lower())
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        for value in re.findall(r'`([0-9a-fA-F]{12,}|[0-9A-Fa-f-]{36}|[0-9A-F]{4}(?: [0-9A-F]{4})+)`', line):
            if re.sub(r'[^0-9a-z]', '', value.lower()) not in known and set(value) != {'0'}:
                yield f'{path}:{number}: {value}: not a value of the vectors\' case 0'


def check_paths(path, here):
    try:
        text = open(path, encoding='utf-8').read()
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if any(place in line for place in here) or HOMES.search(line):
            yield f'{path}:{number}: names a path of some machine'


def main():
    files = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], capture_output=True, text=True, check=True)
    files = [file for file in files.stdout.splitlines() if os.path.isfile(file)]
    # The checkout itself, and where the toolchain lies: wherever this runs, neither belongs into a file.
    toolchain = subprocess.run(['which', 'swift'], capture_output=True, text=True).stdout.strip()
    here = [os.getcwd() + '/'] + ([os.path.dirname(toolchain)] if toolchain.count('/') > 3 else [])
    complaints = list(check_example('README.md')) + list(worked_example.check('docs/phones.md'))
    for file in files:
        if file.endswith('.md'):
            complaints += check_document(file)
        if os.path.abspath(file) != os.path.abspath(__file__):
            complaints += check_paths(file, here)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
