// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of `.perf`: any word may head a line; which words mean something, and where, is a
// table that is checked later. Between lexer and parser a filter drops comments and the newlines
// that do not count. Operators are a flat list here; the tree builder knows their precedence.
parser grammar PerfParser;

options { tokenVocab = PerfLexer; }

file : content=body EOF ;

body : items+=item? ((NEWLINE | SEMI) items+=item?)* ;

block : L_BRACE content=body R_BRACE ;

item : theImport=importItem | theChoice=choice | theLine=line ;

// A line is an attribute, a declaration, a statement or an equation.
line
    : word=name
      ( ( set=assignment | values=args (ARROW results=args)? ) clauses+=clause* inner=block?
      | inner=block
      )?
    ;

clause : word=(WORD | AS) values=args ;

choice : IF condition=expression yes=block (ELSE (no=block | chain=choice))? ;

importItem
    : IMPORT
      ( path=STRING
      | head=name ( path=STRING | (DOT (parts+=name | L_BRACE names+=importName (COMMA names+=importName)* COMMA? R_BRACE))* )
      )
      (AS alias=name)?
    ;

importName : what=name (AS alias=name)? ;

args : values+=arg (COMMA values+=arg)* ;

// x · x: role · x = 1 · x = tensor[4, 8]: int8 · [i, j] += e · [i] max= e
arg : value=expression (COLON role=expression)? (reduce=WORD? set=assignment)? ;

assignment : sign=(ASSIGN | PLUS_ASSIGN) value=expression (COLON role=expression)? ;

expression
    : IF condition=expression THEN yes=expression ELSE no=expression
    | operands+=operand (operators+=operation operands+=operand)*
    ;

// From loose to tight: or; and; (not); comparisons and in; .. step; +-; + -; * / %; (-); ^
operation
    : sign=
      ( OR | AND
      | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL | EQUAL | NOT_EQUAL | IN
      | DOT_DOT | STEP | PLUS_MINUS
      | PLUS | MINUS | STAR | SLASH | PERCENT | CARET
      )
    ;

operand : prefixes+=(MINUS | NOT)* head=primary suffixes+=suffix* ;

suffix
    : DOT (member=name | every=STAR)
    | open=L_PAREN content=list? R_PAREN
    | open=L_BRACKET content=list? R_BRACKET
    ;

primary
    : number=NUMBER
    | text=STRING
    | dots=ELLIPSIS
    | word=name text=STRING?
    | open=L_PAREN content=list R_PAREN
    | open=L_BRACKET content=list? R_BRACKET
    ;

list : values+=arg (COMMA values+=arg)* trailing=COMMA? ;

name : WORD | AS | STEP ;
